// The same calls as the C benchmark, from tensors as frameworks exchange them (DLPack). One record a call on standard
// output; nothing is timed here.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <roofline/dlpack.h>
#include <roofline/ops/gemm.h>
#include <roofline/ops/reduction.h>
#include <roofline/record.h>

namespace {

// A DLTensor over memory of its own, as torch.utils.dlpack or jax.dlpack would hand it over.
class Tensor {
 public:
  Tensor(DLDataTypeCode code, int bits, std::vector<int64_t> shape) : shape_(std::move(shape)) {
    size_t elements = 1;
    for (int64_t n : shape_) elements *= static_cast<size_t>(n);
    data_.resize(elements * static_cast<size_t>(bits) / 8);
    view_.data = data_.data();
    view_.device = DLDevice{kDLCPU, 0};
    view_.ndim = static_cast<int32_t>(shape_.size());
    view_.dtype = DLDataType{static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1};
    view_.shape = shape_.data();
    view_.strides = nullptr;
    view_.byte_offset = 0;
  }
  Tensor(const Tensor &) = delete;
  Tensor &operator=(const Tensor &) = delete;
  const DLTensor *view() const { return &view_; }

 private:
  std::vector<int64_t> shape_;
  std::vector<char> data_;
  DLTensor view_;
};

roofline_tensor tensor(const Tensor &from) {
  roofline_tensor to;
  if (!roofline_tensor_from_dlpack(from.view(), &to)) {
    std::fprintf(stderr, "a tensor that the language has no type for\n");
    std::exit(EXIT_FAILURE);
  }
  return to;
}

void check(roofline_status status, const roofline_error &error) {
  if (status == ROOFLINE_OK) return;
  std::fprintf(stderr, "%s: %s\n", roofline_status_name(status), error.message);
  std::exit(EXIT_FAILURE);
}

void write(const std::string &case_id, const roofline_call *call) {
  roofline_cost cost;
  roofline_record record = roofline_record_empty();
  record.op = call->op->name;
  record.case_id = case_id.c_str();
  record.device = "CPU";
  record.roof_key = call->op->roof_key(call);
  if (roofline_eval(call, &cost) != ROOFLINE_OK ||
      call->op->read_bytes(call, &record.read_bytes) != ROOFLINE_OK)
    std::exit(EXIT_FAILURE);
  record.flops = cost.flops;
  record.bytes = cost.bytes;
  if (roofline_record_write(stdout, &record) != ROOFLINE_OK) std::exit(EXIT_FAILURE);
}

void gemm(int64_t M, int64_t N, int64_t K) {
  const Tensor a(kDLBfloat, 16, {M, K}), b(kDLBfloat, 16, {K, N});
  roofline_gemm_fwd_args args = roofline_gemm_fwd_defaults();
  args.trans_b = false;
  args.a = tensor(a);
  args.b = tensor(b);
  roofline_gemm_fwd_call call;
  roofline_error error;
  check(roofline_gemm_fwd_bind(&call, &args, &error), error);
  write("cpu." + std::to_string(M) + "x" + std::to_string(N) + "x" + std::to_string(K) + "-bfloat16",
        &call.roofline);
}

void softmax(int64_t rows, int64_t columns) {
  const Tensor x(kDLFloat, 32, {rows, columns});
  roofline_softmax_fwd_args args = roofline_softmax_fwd_defaults();
  args.dim = roofline_int(-1);
  args.x = tensor(x);
  roofline_softmax_fwd_call call;
  roofline_error error;
  check(roofline_softmax_fwd_bind(&call, &args, &error), error);
  write("cpu." + std::to_string(rows) + "x" + std::to_string(columns) + "-float32", &call.roofline);
}

}  // namespace

int main() {
  gemm(256, 192, 320);
  gemm(1, 1024, 512);
  softmax(256, 4096);
  softmax(3, 50257);
  return 0;
}
