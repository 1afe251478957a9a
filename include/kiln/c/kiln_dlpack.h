/* Operands and arrays by DLPack's own types, for programs that have its header. */
#ifndef KILN_C_KILN_DLPACK_H_
#define KILN_C_KILN_DLPACK_H_
#include <dlpack/dlpack.h>

#include "kiln/c/kiln.h"

/* Returns an operand that is a tensor. The tensor must live until the call returns. */
static inline kiln_arg kiln_tensor(const DLTensor* tensor) {
  return kiln_tensor_arg(tensor);
}

/* Makes an array of a tensor, which the array owns if the function succeeds: kiln_array_from_dlpack. */
static inline kiln_status kiln_array_from_tensor(kiln_array** array, DLManagedTensorVersioned* tensor,
                                                 const kiln_stream* producer, kiln_error** error) {
  return kiln_array_from_dlpack(array, tensor, 1, producer, error);
}

/* Makes a tensor that shares the memory of an array: kiln_array_to_dlpack. */
static inline kiln_status kiln_array_to_tensor(DLManagedTensorVersioned** tensor, const kiln_array* array,
                                               const kiln_stream* consumer, kiln_error** error) {
  void* managed = 0;
  kiln_status status = kiln_array_to_dlpack(&managed, array, 1, consumer, error);
  *tensor = (DLManagedTensorVersioned*)managed;
  return status;
}

#endif
