// A CUDA kernel from launch to record: RMSNorm in half precision, timed on the device by CUPTI, priced by
//   rms_norm > records.jsonl && roofline price records.jsonl
// The evaluator is given the shapes of the very buffers that the kernel reads; it never touches device memory.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cupti.h>

#include <roofline/ops/norm.h>
#include <roofline/record.h>

#define CHECK(call)                                                                     \
  do {                                                                                  \
    const int status_ = static_cast<int>(call);                                         \
    if (status_ != 0) {                                                                 \
      std::fprintf(stderr, "%s:%d: %s gives %d\n", __FILE__, __LINE__, #call, status_); \
      std::exit(EXIT_FAILURE);                                                          \
    }                                                                                   \
  } while (0)

// One block a row: the sum of squares in float, then the row again, scaled.
__global__ void rms_norm(const __half2 *x, const __half2 *weight, __half2 *output, int pairs, float eps) {
  __shared__ float sums[32];
  const size_t row = static_cast<size_t>(blockIdx.x) * pairs;
  float sum = 0;
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
    const float2 v = __half22float2(x[row + i]);
    sum += v.x * v.x + v.y * v.y;
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (threadIdx.x == 0) sums[0] = rsqrtf(sum / static_cast<float>(2 * pairs) + eps);
  }
  __syncthreads();
  const float scale = sums[0];
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
    const float2 v = __half22float2(x[row + i]), w = __half22float2(weight[i]);
    output[row + i] = __floats2half2_rn(v.x * scale * w.x, v.y * scale * w.y);
  }
}

// ---- device-busy times: one CUPTI activity record a kernel ----

static std::vector<double> kernel_ms;

static void CUPTIAPI buffer_requested(uint8_t **buffer, size_t *size, size_t *max_records) {
  *size = 1 << 20;
  *buffer = static_cast<uint8_t *>(std::aligned_alloc(8, *size));
  *max_records = 0;
}
static void CUPTIAPI buffer_completed(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid) {
  for (CUpti_Activity *record = nullptr; cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS;)
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      const auto *kernel = reinterpret_cast<const CUpti_ActivityKernel9 *>(record);
      kernel_ms.push_back(static_cast<double>(kernel->end - kernel->start) * 1e-6);
    }
  std::free(buffer);
}

int main() {
  constexpr int64_t rows = 2048, columns = 4096, samples = 50;
  constexpr size_t flush_bytes = size_t{512} << 20; // more than any L2 cache: each sample starts cold

  __half *x, *weight, *output;
  void *flush;
  CHECK(cudaMalloc(&x, rows * columns * sizeof *x));
  CHECK(cudaMalloc(&weight, columns * sizeof *weight));
  CHECK(cudaMalloc(&output, rows * columns * sizeof *output));
  CHECK(cudaMalloc(&flush, flush_bytes));
  CHECK(cudaMemset(x, 0x3c, rows * columns * sizeof *x));
  CHECK(cudaMemset(weight, 0x3c, columns * sizeof *weight));

  CHECK(cuptiActivityRegisterCallbacks(buffer_requested, buffer_completed));
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  for (int i = 0; i < samples; i++) {
    CHECK(cudaMemsetAsync(flush, i, flush_bytes));
    rms_norm<<<rows, 512>>>(reinterpret_cast<const __half2 *>(x), reinterpret_cast<const __half2 *>(weight),
                            reinterpret_cast<__half2 *>(output), columns / 2, 1e-5f);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaDeviceSynchronize());
  CHECK(cuptiActivityFlushAll(0));
  if (kernel_ms.size() < samples) {
    std::fprintf(stderr, "CUPTI saw %zu kernels of %d\n", kernel_ms.size(), static_cast<int>(samples));
    return EXIT_FAILURE;
  }
  // A memset may itself be a kernel: ours are told by being the shorter ones, by two orders of magnitude.
  std::sort(kernel_ms.begin(), kernel_ms.end());
  kernel_ms.resize(samples);

  const int64_t x_shape[] = {rows, columns}, weight_shape[] = {columns};
  roofline_rms_norm_fwd_args args = roofline_rms_norm_fwd_defaults();
  args.normalized_shape = roofline_seq_of(weight_shape, 1);
  args.eps = roofline_float(1e-5);
  args.x = roofline_tensor{ROOFLINE_FLOAT16, 2, x_shape, nullptr, nullptr};
  args.weight = roofline_tensor{ROOFLINE_FLOAT16, 1, weight_shape, nullptr, nullptr};
  roofline_rms_norm_fwd_call call;
  roofline_error error;
  if (roofline_rms_norm_fwd_bind(&call, &args, &error) != ROOFLINE_OK) {
    std::fprintf(stderr, "%s\n", error.message);
    return EXIT_FAILURE;
  }
  roofline_cost cost;
  CHECK(roofline_rms_norm_fwd_eval_roofline(&call, &cost));

  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  roofline_record record = roofline_record_empty();
  record.op = "RMSNormFwdOp";
  record.case_id = "llama3.1-8b.hidden.t2048-float16";
  record.tag = "example";
  record.device = device.name;
  record.timing = "cupti";
  record.roof_key = roofline_rms_norm_fwd_roof_key(&call.roofline);
  record.device_busy_ms = kernel_ms[samples / 2];
  record.p10_ms = kernel_ms[samples / 10];
  record.p90_ms = kernel_ms[samples - 1 - samples / 10];
  record.n_samples = samples;
  record.flops = cost.flops;
  record.bytes = cost.bytes;
  CHECK(roofline_record_write(stdout, &record));
  return 0;
}
