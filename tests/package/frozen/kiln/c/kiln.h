/* clang-format off */ /* The declarations of the first header of the C interface, without its comments. It does not change. */
#ifndef KILN_C_KILN_H_
#define KILN_C_KILN_H_
#include <stddef.h>
#include <stdint.h>

#ifndef KILN_API_VERSION
#define KILN_API_VERSION 1
#endif
#define KILN_NUL SIZE_MAX
#define KILN_ALL_AXES SIZE_MAX

#ifdef __cplusplus
#define KILN_NOEXCEPT noexcept
#define KILN_ZERO {}
extern "C" {
#else
#define KILN_NOEXCEPT
#define KILN_ZERO {0}
#endif
#define KILN_C_API __attribute__((visibility("default")))
#define KILN_CHECK __attribute__((warn_unused_result))
#define KILN_DEFAULTS(type) \
  static inline type type##_default(void) { \
    type value = KILN_ZERO; \
    value.struct_size = sizeof value; \
    return value; \
  }

typedef struct kiln_error kiln_error; /* An error: a status, a message, and values by key. */
typedef struct kiln_text kiln_text; /* A string or bytes that kiln made. */
typedef struct kiln_array kiln_array; /* An n-dimensional array. It shares its memory with views of it. */
typedef struct kiln_stream kiln_stream; /* A queue of work on a device, in order. */
typedef struct kiln_event kiln_event; /* A point in the work of a stream. */
typedef struct kiln_stop kiln_stop; /* A request that ends calls. */
typedef struct kiln_function kiln_function; /* A ufunc, a generalized ufunc, a reduction, a raw kernel, or a transform. */
typedef struct kiln_graph kiln_graph; /* Recorded calls that run as one. */
typedef struct kiln_cache kiln_cache; /* A kernel cache. NULL stands for the cache of the process. */

typedef int32_t kiln_status; /* kiln_status_code */

enum {
  KILN_OK = 0, /* success */
  KILN_E_SIGNATURE = 1, /* a signature or a layout that cannot be parsed; key "position" */
  KILN_E_SHAPE = 2, /* shapes, axes or strides that do not fit */
  KILN_E_TYPE = 3, /* dtypes, casts or numbers of operands that do not fit */
  KILN_E_STOPPED = 4, /* the call's stop, timeout or progress callback ended it */
  KILN_E_DEVICE = 5, /* an unknown device, or a failure of the vendor's runtime; keys "vendor_code", "vendor_name" */
  KILN_E_CACHE = 6, /* a cache, a manifest or a definition that cannot be used */
  KILN_E_IO = 7, /* a file that cannot be read or written */
  KILN_E_COMPILE = 8, /* a kernel that does not compile; keys "diagnostics", "log", "source", "target" */
  KILN_E_ARGUMENT = 9, /* NULL, a wrong handle, an unknown constant or option, a call from a callback */
  KILN_E_MEMORY = 10, /* the host has no memory */
  KILN_E_INTERNAL = 11 /* a fault of kiln's own */
};

enum {
  KILN_CPU = 1, /* the processor; memory of the host */
  KILN_CUDA = 2, /* an NVIDIA GPU */
  KILN_CUDA_HOST = 3, /* page-locked memory of the host, as memory of an operand alone */
  KILN_ROCM = 10, /* an AMD GPU */
  KILN_ROCM_HOST = 11, /* page-locked memory of the host, as memory of an operand alone */
  KILN_EMULATED = 1200 /* an emulated NVIDIA GPU; the index is its compute capability, 90 for sm_90 */
};

enum {
  KILN_INT = 0, /* 8, 16, 32 or 64 bits */
  KILN_UINT = 1, /* 8, 16, 32 or 64 bits */
  KILN_FLOAT = 2, /* 16, 32 or 64 bits */
  KILN_BFLOAT = 4, /* 16 bits */
  KILN_COMPLEX = 5, /* 64 or 128 bits */
  KILN_BOOL = 6 /* 8 bits, 0 or 1 */
};

enum {
  KILN_NONE = 0, /* no operand: no mask, a fresh output */
  KILN_ARRAY = 1, /* value.array */
  KILN_DLTENSOR = 2, /* value.tensor */
  KILN_SCALAR = 3, /* value.i, .u, .f or .c, as dtype says: any integer or bool, float32, float64, complex64 */
  KILN_SCALAR_AT = 4, /* the bytes at value.at, of any dtype */
  KILN_MEMORY = 5 /* value.memory */
};

enum {
  KILN_CALL = 0, /* the call itself */
  KILN_OUTER = 1, /* every pair of elements of two inputs */
  KILN_REDUCE = 2, /* one input, along axes: axis 0 by default */
  KILN_ACCUMULATE = 3, /* one input, along one axis */
  KILN_REDUCEAT = 4, /* an input and the indices at which segments begin */
  KILN_AT = 5 /* changes output 0 in place; the inputs are the indices, one array for each axis, then the second operand */
};

enum {
  KILN_SAME_KIND = 0, /* casts within a kind and to higher kinds */
  KILN_NO = 1, /* equal dtypes */
  KILN_EQUIV = 2, /* equal dtypes */
  KILN_SAFE = 3, /* casts that preserve values */
  KILN_UNSAFE = 4 /* all casts */
};

enum {
  KILN_UFUNC = 1, /* element by element */
  KILN_GUFUNC = 2, /* core by core */
  KILN_REDUCTION = 3, /* along axes, with an accumulator of its own */
  KILN_KERNEL = 4, /* thread by thread */
  KILN_TRANSFORM = 5 /* a discrete Fourier transform */
};

enum {
  KILN_NORM_BACKWARD = 0, /* the inverse one */
  KILN_NORM_ORTHO = 1, /* both, by 1/sqrt(n) */
  KILN_NORM_FORWARD = 2 /* the forward one */
};

typedef struct kiln_device {
  int32_t type; /* kiln_device_type */
  int32_t index; /* number among the devices of its type */
} kiln_device;

typedef struct kiln_dtype {
  uint8_t code; /* kiln_dtype_code */
  uint8_t bits; /* bits of an element */
  uint16_t lanes; /* 1 */
} kiln_dtype;

typedef struct kiln_progress {
  size_t struct_size; /* bytes of the struct, as the caller knows it */
  int64_t chunks_done; /* chunks whose results are in the host's memory */
  int64_t chunks; /* chunks of the call */
  int64_t bytes_done; /* bytes of inputs and outputs in finished chunks */
  int64_t bytes; /* bytes of all inputs and outputs */
  double seconds; /* time since the call began */
} kiln_progress;
KILN_DEFAULTS(kiln_progress)

typedef struct kiln_function_info {
  size_t struct_size; /* bytes of the struct, as the caller knows it */
  uint32_t kind; /* kiln_function_kind */
  int32_t nin; /* number of inputs; of a raw kernel, of parameters */
  int32_t nout; /* number of outputs; 0 for a raw kernel */
  uint32_t reorderable; /* non-zero: reductions may combine elements in any order */
  const char* name; /* name; empty if there is none */
  const char* layout; /* core dimensions of a generalized ufunc; else empty */
  const char* identity; /* neutral element as a C++ expression; empty if there is none */
} kiln_function_info;
KILN_DEFAULTS(kiln_function_info)

typedef struct kiln_fuse_step {
  const kiln_function* function; /* a ufunc */
  const uint32_t* inputs; /* values: first the inputs of the fused function, then the outputs of each step */
  size_t count; /* number of `inputs` */
} kiln_fuse_step;

typedef struct kiln_cache_stats {
  size_t struct_size; /* bytes of the struct, as the caller knows it */
  uint64_t memory_hits; /* kernels found in this process's memory */
  uint64_t disk_hits; /* kernels found in the directory */
  uint64_t read_only_hits; /* kernels found in a read-only directory or bundle */
  uint64_t compiles; /* compiler runs, failed ones included */
  uint64_t failures; /* kernels that do not compile, counted at each request */
  uint64_t bytes_read; /* bytes of entries read from disk */
  uint64_t bytes_written; /* bytes of entries written to the directory */
  uint64_t memory_bytes; /* machine code in memory */
  double compile_ms; /* time spent in compilers */
  double saved_ms; /* compile time of the kernels that were found */
} kiln_cache_stats;
KILN_DEFAULTS(kiln_cache_stats)

typedef void (*kiln_release_callback)(void* owner);

typedef struct kiln_array_info {
  size_t struct_size; /* bytes of the struct, as the caller knows it */
  void* data; /* element at index 0 of every axis; may be NULL if there are no elements */
  kiln_device device; /* device of the memory; {0, 0}: memory of the host */
  kiln_dtype dtype; /* dtype of the elements */
  int32_t ndim; /* number of axes, 0 to 64 */
  const int64_t* shape; /* extents, ndim of them */
  const int64_t* strides; /* bytes between neighbours along each axis; NULL: C order */
  uint32_t read_only; /* non-zero: a call that would write to the array fails */
  uint32_t reserved; /* 0 */
  kiln_release_callback release; /* called once with `owner`, from any thread, when nothing uses the memory any more; kiln_array_view alone calls it */
  void* owner; /* the argument of `release` */
} kiln_array_info;
KILN_DEFAULTS(kiln_array_info)

typedef struct kiln_arg {
  uint32_t kind; /* kiln_arg_kind */
  kiln_dtype dtype; /* dtype of a scalar; ignored for arrays */
  union {
    const kiln_array* array;
    const void* tensor; /* a DLTensor; kiln_dlpack.h has a typed form */
    const kiln_array_info* memory;
    int64_t i;
    uint64_t u;
    double f;
    float c[2];
    const void* at;
  } value;
  const kiln_stream* ready; /* stream whose work so far the call waits for, before it uses the operand; NULL: none */
} kiln_arg;

typedef int32_t (*kiln_progress_callback)(const kiln_progress* progress, void* user);

typedef struct kiln_call_options {
  size_t struct_size; /* bytes of the struct, as the caller knows it */
  const kiln_stream* stream; /* stream that the call is queued on; NULL: the default stream, which the call waits for on a CPU */
  kiln_device device; /* device of the call; {0, 0}: that of its arrays or its stream, else the best one */
  uint32_t method; /* kiln_method */
  uint32_t casting; /* kiln_casting */
  kiln_arg where; /* mask: bool, broadcast with the operands; elements with false are not computed */
  kiln_arg initial; /* scalar that a reduction starts from */
  kiln_dtype dtype; /* forces the loop whose outputs have this dtype */
  uint32_t keepdims; /* non-zero: reduced axes stay, with extent 1 */
  const int32_t* axis; /* axes; negative ones count from the end; NULL: the method's default */
  size_t axis_count; /* number of axes; KILN_ALL_AXES: all of them */
  const char* signature; /* forces a loop by dtype names, "float32, float32 -> float32"; NULL: none */
  size_t signature_length; /* bytes of `signature`; 0 and KILN_NUL: a NUL ends it */
  const int32_t* core_axes; /* axes of each operand of a generalized ufunc that are its core, one operand after the other */
  const size_t* core_axes_counts; /* number of `core_axes` of each operand */
  size_t core_axes_operands; /* number of `core_axes_counts`; 0: the last axes */
  int64_t size; /* items of a raw kernel, or elements of a call whose operands are all raw */
  uint32_t has_size; /* non-zero: `size` is given */
  uint32_t chunked; /* non-zero: host arrays are computed in chunks */
  int64_t grid[3]; /* blocks of a raw kernel; all 0: none are given */
  int64_t block[3]; /* threads of a block of a raw kernel; 0 stands for 1 */
  int64_t shared_bytes; /* dynamic shared memory of a block of a raw kernel */
  int64_t timeout_ns; /* time limit in nanoseconds, after which the call ends with KILN_E_STOPPED; 0: none */
  const kiln_stop* stop; /* request that ends the call with KILN_E_STOPPED; NULL: none */
  int64_t chunk_bytes; /* approximate bytes of a chunk; 0: a size that suits the devices */
  const kiln_device* devices; /* devices that compute chunks; NULL: the device of the call */
  size_t devices_count; /* number of `devices` */
  kiln_progress_callback progress; /* called when chunks are done, in the thread of the call; non-zero ends the call with KILN_E_STOPPED */
  void* progress_user; /* the last argument of `progress` */
  const int64_t* lengths; /* points of a transform along each of its axes; -1: the input's */
  size_t lengths_count; /* number of `lengths`; 0: the input's */
  uint32_t norm; /* kiln_norm */
  uint32_t measure; /* non-zero: a transform on the CPU is planned by trials */
} kiln_call_options;
KILN_DEFAULTS(kiln_call_options)

typedef void* (*kiln_allocate_callback)(kiln_device device, size_t bytes, void* stream, void* user);

typedef void (*kiln_deallocate_callback)(kiln_device device, void* memory, size_t bytes, void* stream, void* user);

typedef struct kiln_allocator {
  size_t struct_size; /* bytes of the struct, as the caller knows it */
  kiln_allocate_callback allocate; /* returns `bytes` of memory that work on `stream` may use; NULL: there is none */
  kiln_deallocate_callback deallocate; /* takes memory back, which work on `stream` may still use */
  void* user; /* the last argument of both */
} kiln_allocator;
KILN_DEFAULTS(kiln_allocator)

typedef void (*kiln_text_callback)(const char* text, size_t length, void* user);

KILN_C_API uint32_t kiln_version(void) KILN_NOEXCEPT;
KILN_C_API const char* kiln_status_name(kiln_status status) KILN_NOEXCEPT;
KILN_C_API kiln_status kiln_error_status(const kiln_error* error) KILN_NOEXCEPT;
KILN_C_API const char* kiln_error_message(const kiln_error* error) KILN_NOEXCEPT;
KILN_C_API const char* kiln_error_get(const kiln_error* error, const char* key) KILN_NOEXCEPT;
KILN_C_API void kiln_error_release(kiln_error* error) KILN_NOEXCEPT;
KILN_C_API const char* kiln_text_data(const kiln_text* text, size_t* length) KILN_NOEXCEPT;
KILN_C_API void kiln_text_release(kiln_text* text) KILN_NOEXCEPT;

KILN_C_API KILN_CHECK kiln_status kiln_device_parse(kiln_device* device, const char* text, size_t length, kiln_error** error)
    KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_device_list(kiln_device* devices, size_t capacity, size_t* count, kiln_error** error)
    KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_device_info(kiln_text** json, kiln_device device, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_device_default(kiln_device device, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_device_synchronize(kiln_device device, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_stream_new(kiln_stream** stream, kiln_device device, int32_t priority, kiln_error**
    error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_stream_wrap(kiln_stream** stream, kiln_device device, void* native, kiln_error** error)
    KILN_NOEXCEPT;
KILN_C_API void* kiln_stream_native(const kiln_stream* stream) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_stream_synchronize(const kiln_stream* stream, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_stream_wait(const kiln_stream* stream, const kiln_event* event, kiln_error** error)
    KILN_NOEXCEPT;
KILN_C_API void kiln_stream_release(kiln_stream* stream) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_event_new(kiln_event** event, kiln_device device, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_event_record(kiln_event* event, const kiln_stream* stream, kiln_error** error)
    KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_event_done(int32_t* done, const kiln_event* event, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_event_synchronize(const kiln_event* event, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_event_elapsed_ms(double* ms, const kiln_event* start, const kiln_event* end,
    kiln_error** error) KILN_NOEXCEPT;
KILN_C_API void kiln_event_release(kiln_event* event) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_stop_new(kiln_stop** stop, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API void kiln_stop_request(kiln_stop* stop) KILN_NOEXCEPT;
KILN_C_API void kiln_stop_release(kiln_stop* stop) KILN_NOEXCEPT;

KILN_C_API KILN_CHECK kiln_status kiln_array_new(kiln_array** array, kiln_device device, kiln_dtype dtype, int32_t ndim, const
    int64_t* shape, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_array_view(kiln_array** array, const kiln_array_info* info, kiln_error** error)
    KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_array_describe(const kiln_array* array, kiln_array_info* info, kiln_error** error)
    KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_array_to(kiln_array** copy, const kiln_array* array, kiln_device device, const
    kiln_stream* stream, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_array_assign(const kiln_arg* to, const kiln_arg* from, uint32_t casting, const
    kiln_stream* stream, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_array_from_dlpack(kiln_array** array, void* managed, int32_t versioned, const
    kiln_stream* producer, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_array_to_dlpack(void** managed, const kiln_array* array, int32_t versioned, const
    kiln_stream* consumer, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API kiln_array* kiln_array_retain(const kiln_array* array) KILN_NOEXCEPT;
KILN_C_API void kiln_array_release(kiln_array* array) KILN_NOEXCEPT;

KILN_C_API KILN_CHECK kiln_status kiln_function_parse(kiln_function** function, const char* text, size_t length, kiln_error**
    error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_function_define(kiln_function** function, const char* json, size_t length, const
    kiln_cache* cache, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_function_math(kiln_function** function, const char* name, size_t length, kiln_error**
    error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_function_fuse(kiln_function** function, const char* name, size_t length, size_t inputs,
    const kiln_fuse_step* steps, size_t count, const uint32_t* outputs, size_t outputs_count, kiln_error** error)
    KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_function_describe(const kiln_function* function, kiln_function_info* info, kiln_error**
    error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_function_get(kiln_text** text, const kiln_function* function, const char* key,
    kiln_error** error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_function_compile(int64_t* kernels, const kiln_function* function, const char* target,
    kiln_error** error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_function_device_code(kiln_text** code, const kiln_function* function, const char*
    target, const char* options, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API kiln_function* kiln_function_retain(const kiln_function* function) KILN_NOEXCEPT;
KILN_C_API void kiln_function_release(kiln_function* function) KILN_NOEXCEPT;

KILN_C_API KILN_CHECK kiln_status kiln_call(const kiln_function* function, kiln_arg* outputs, size_t nout, const kiln_arg*
    inputs, size_t nin, const kiln_call_options* options, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_resolve(kiln_text** json, const kiln_function* function, const kiln_arg* outputs,
    size_t nout, const kiln_arg* inputs, size_t nin, const kiln_call_options* options, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_inspect(kiln_text** text, const char* form, const kiln_function* function, const
    kiln_arg* outputs, size_t nout, const kiln_arg* inputs, size_t nin, const kiln_call_options* options, kiln_error** error)
    KILN_NOEXCEPT;

KILN_C_API KILN_CHECK kiln_status kiln_graph_begin(const kiln_stream* stream, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_graph_end(kiln_graph** graph, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_graph_launch(kiln_graph* graph, const kiln_stream* stream, kiln_error** error)
    KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_graph_exchange(kiln_graph* graph, size_t count, const kiln_array* const* old_arrays,
    const kiln_array* const* new_arrays, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API void kiln_graph_release(kiln_graph* graph) KILN_NOEXCEPT;

KILN_C_API KILN_CHECK kiln_status kiln_cache_open(kiln_cache** cache, const char* options, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_cache_statistics(const kiln_cache* cache, kiln_cache_stats* stats, kiln_error** error)
    KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_cache_export(kiln_text** bundle, const kiln_cache* cache, const char* const* ids,
    size_t count, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_cache_import(const kiln_cache* cache, const void* bundle, size_t length, kiln_error**
    error) KILN_NOEXCEPT;
KILN_C_API void kiln_cache_release(kiln_cache* cache) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_manifest_compile(kiln_text** report, const char* manifest, size_t length, const char*
    target, const kiln_cache* cache, kiln_error** error) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_command(kiln_text** reply, const char* request, size_t length, const kiln_cache* cache,
    kiln_error** error) KILN_NOEXCEPT;
KILN_C_API void kiln_set_log(kiln_text_callback log, void* user) KILN_NOEXCEPT;
KILN_C_API void kiln_set_print(kiln_text_callback print, void* user) KILN_NOEXCEPT;
KILN_C_API KILN_CHECK kiln_status kiln_set_allocator(kiln_device device, const kiln_allocator* allocator, kiln_error** error)
    KILN_NOEXCEPT;

static inline kiln_arg kiln_array_arg(const kiln_array* array) {
  kiln_arg arg = KILN_ZERO;
  arg.kind = KILN_ARRAY;
  arg.value.array = array;
  return arg;
}
static inline kiln_arg kiln_memory_arg(const kiln_array_info* memory) {
  kiln_arg arg = KILN_ZERO;
  arg.kind = KILN_MEMORY;
  arg.value.memory = memory;
  return arg;
}
static inline kiln_arg kiln_tensor_arg(const void* tensor) {
  kiln_arg arg = KILN_ZERO;
  arg.kind = KILN_DLTENSOR;
  arg.value.tensor = tensor;
  return arg;
}
static inline kiln_arg kiln_f64(double value) {
  kiln_arg arg = KILN_ZERO;
  arg.kind = KILN_SCALAR;
  arg.dtype.code = KILN_FLOAT;
  arg.dtype.bits = 64;
  arg.dtype.lanes = 1;
  arg.value.f = value;
  return arg;
}
static inline kiln_arg kiln_f32(float value) {
  kiln_arg arg = kiln_f64(value);
  arg.dtype.bits = 32;
  return arg;
}
static inline kiln_arg kiln_i64(int64_t value) {
  kiln_arg arg = kiln_f64(0);
  arg.dtype.code = KILN_INT;
  arg.value.i = value;
  return arg;
}
static inline kiln_array_info kiln_memory(void* data, uint8_t code, uint8_t bits, int32_t ndim, const int64_t* shape) {
  kiln_array_info info = kiln_array_info_default();
  info.data = data;
  info.dtype.code = code;
  info.dtype.bits = bits;
  info.dtype.lanes = 1;
  info.ndim = ndim;
  info.shape = shape;
  return info;
}

#ifdef __cplusplus
}
#endif
#endif
