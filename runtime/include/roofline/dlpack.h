/* Tensors as DLPack describes them (https://dmlc.github.io/dlpack): the descriptors that PyTorch, JAX,
   CuPy and TVM exchange. Needs DLPack's own header; the rest of libroofline does not. */
#ifndef ROOFLINE_DLPACK_H
#define ROOFLINE_DLPACK_H

#include <dlpack/dlpack.h>

#include <roofline/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NONE for a type that the language has no name for. Codes are compared as numbers: headers before
   DLPack 1.0 do not name bool (6), those before 1.1 not the float8 formats (10 to 14). */
static inline roofline_dtype roofline_dtype_from_dlpack(DLDataType type) {
#define DTYPE(name, text, bits, category, dl_code, dl_bits) {ROOFLINE_##name, dl_code, dl_bits},
  static const struct {
    roofline_dtype dtype;
    int code, bits;
  } types[] = {
#include <roofline/dtype.def>
  };
#undef DTYPE
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (type.lanes == 1 && type.code == types[i].code && type.bits == types[i].bits) return types[i].dtype;
  return ROOFLINE_DTYPE_NONE;
}

/* Host memory that a bind may read the values of a metadata tensor from. */
static inline bool roofline_device_is_host(DLDevice device) {
  return device.device_type == kDLCPU || device.device_type == kDLCUDAHost ||
         device.device_type == kDLROCMHost;
}

/* *out views `from`, which must outlive it. `data` is set where it is host memory; metadata on a device
   is not available. False, and *out an absent tensor, when the language has no such dtype, the elements
   are vectors (lanes other than 1), or the rank is not in 0..16. */
static inline bool roofline_tensor_from_dlpack(const DLTensor *from, roofline_tensor *out) {
  const roofline_tensor absent = {ROOFLINE_DTYPE_NONE, 0, NULL, NULL, NULL};
  const roofline_dtype dtype = roofline_dtype_from_dlpack(from->dtype);
  *out = absent;
  if (dtype == ROOFLINE_DTYPE_NONE || from->ndim < 0 || from->ndim > ROOFLINE_MAX_RANK) return false;
  if (from->ndim > 0 && from->shape == NULL) return false;
  out->dtype = dtype;
  out->rank = from->ndim;
  out->dims = from->shape;
  out->strides = from->strides;
  if (from->data != NULL && roofline_device_is_host(from->device))
    out->data = (const char *)from->data + from->byte_offset;
  return true;
}

#ifdef __cplusplus
}
#endif
#endif
