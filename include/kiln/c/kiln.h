/* clang-format off */
/* NOLINTBEGIN(modernize-use-using) */
/* kiln.h: kiln from C, and from every language that can call C.
 *
 *  1. A function that can fail returns a kiln_status, where 0 is success. Its last parameter is `kiln_error** error`, which may be
 *     NULL. On failure *error is a new object that the caller releases. kiln keeps no error per thread or per process.
 *  2. Outputs come first, then inputs, then options, then the error. On failure every output is NULL or zero.
 *  3. Handles are opaque. The caller releases each handle once, with the function of its type; releasing NULL does nothing. kiln
 *     only reads the handles that it is given. It holds its own reference for as long as it needs one, also for queued work.
 *  4. Strings are UTF-8: a pointer and a length. The length KILN_NUL means a NUL-terminated string. kiln copies them. A string
 *     that kiln returns is a kiln_text, or it belongs to a handle and lives until that handle is released.
 *  5. A struct that the caller fills begins with `size_t struct_size`, which NAME_default() sets. Zero is the default of every
 *     member. kiln takes the struct of an older header. It takes that of a newer one if the unknown bytes are zero; else the
 *     call fails with KILN_E_ARGUMENT and the number of the byte.
 *  6. An unknown constant, key or option is KILN_E_ARGUMENT. None is ignored.
 *  7. Functions, arrays, streams, stops and caches may be used by several threads at once. An error, a text, an event that is
 *     being recorded, and a graph belong to one thread at a time. After fork() the child may use the CPU only.
 *  8. A callback takes the caller's pointer as its last parameter. It must not unwind. A call of kiln from a callback fails with
 *     KILN_E_ARGUMENT. No C++ exception leaves kiln.
 *  9. Arrays of other libraries are operands as they are: a DLTensor or a kiln_array_info on the caller's stack. A call copies no
 *     element and makes no handle for them.
 * 10. The definition of a function is a text: the JSON object that a manifest has for it (docs/manifest.md). It can be stored,
 *     hashed and sent to another process.
 * 11. Symbols are never removed and never change. "Since" is the KILN_API_VERSION that has a symbol.
 *
 * Made by scripts/c_interface.py of kiln.yml. Do not edit.
 */
#ifndef KILN_C_KILN_H_
#define KILN_C_KILN_H_
#include <stddef.h>
#include <stdint.h>

/* Version of the interface that is visible. */
#ifndef KILN_API_VERSION
#define KILN_API_VERSION 1
#endif
/* Length of a string that a NUL ends. */
#define KILN_NUL SIZE_MAX
/* Number of axes that stands for all of them. */
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
/* A function: { sizeof(x) } is a warning of -Wextra in each file that uses it. */
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
typedef struct kiln_registration kiln_registration; /* Host memory that is page-locked for a time. */
typedef struct kiln_warming kiln_warming; /* One rank's part of compiling kernels once among several processes. */
typedef struct kiln_partial kiln_partial; /* Accumulators of a part of what a ufunc or a reduction reduces. */

typedef int32_t kiln_status; /* kiln_status_code */

/* kiln_status_code: Values of kiln_status. */
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
  KILN_E_INTERNAL = 11, /* a fault of kiln's own */
  KILN_E_RANK = 12 /* a failure of a rank, reported on every rank; key "rank" */
};

/* kiln_device_type: Kinds of devices, with DLPack's numbers. */
enum {
  KILN_CPU = 1, /* the processor; memory of the host */
  KILN_CUDA = 2, /* an NVIDIA GPU */
  KILN_CUDA_HOST = 3, /* page-locked memory of the host, as memory of an operand and of new arrays alone */
  KILN_ROCM = 10, /* an AMD GPU */
  KILN_ROCM_HOST = 11, /* page-locked memory of the host, as memory of an operand and of new arrays alone */
  KILN_EMULATED = 1200 /* an emulated NVIDIA GPU; the index is its compute capability, 90 for sm_90 */
};

/* kiln_dtype_code: Kinds of elements, with DLPack's numbers. */
enum {
  KILN_INT = 0, /* 8, 16, 32 or 64 bits */
  KILN_UINT = 1, /* 8, 16, 32 or 64 bits */
  KILN_FLOAT = 2, /* 16, 32 or 64 bits */
  KILN_BFLOAT = 4, /* 16 bits */
  KILN_COMPLEX = 5, /* 64 or 128 bits */
  KILN_BOOL = 6 /* 8 bits, 0 or 1 */
};

/* kiln_arg_kind: Kinds of operands. */
enum {
  KILN_NONE = 0, /* no operand: no mask, a fresh output */
  KILN_ARRAY = 1, /* value.array */
  KILN_DLTENSOR = 2, /* value.tensor */
  KILN_SCALAR = 3, /* value.i, .u, .f or .c, as dtype says: any integer or bool, float32, float64, complex64 */
  KILN_SCALAR_AT = 4, /* the bytes at value.at, of any dtype */
  KILN_MEMORY = 5 /* value.memory */
};

/* kiln_method: Methods of a ufunc. Other functions have KILN_CALL alone. */
enum {
  KILN_CALL = 0, /* the call itself */
  KILN_OUTER = 1, /* every pair of elements of two inputs */
  KILN_REDUCE = 2, /* one input, along axes: axis 0 by default */
  KILN_ACCUMULATE = 3, /* one input, along one axis */
  KILN_REDUCEAT = 4, /* an input and the indices at which segments begin */
  KILN_AT = 5 /* changes output 0 in place; the inputs are the indices, one array for each axis, then the second operand */
};

/* kiln_casting: Rules for casts of inputs and outputs. */
enum {
  KILN_SAME_KIND = 0, /* casts within a kind and to higher kinds */
  KILN_NO = 1, /* equal dtypes */
  KILN_EQUIV = 2, /* equal dtypes */
  KILN_SAFE = 3, /* casts that preserve values */
  KILN_UNSAFE = 4 /* all casts */
};

/* kiln_function_kind: Kinds of functions. */
enum {
  KILN_UFUNC = 1, /* element by element */
  KILN_GUFUNC = 2, /* core by core */
  KILN_REDUCTION = 3, /* along axes, with an accumulator of its own */
  KILN_KERNEL = 4, /* thread by thread */
  KILN_TRANSFORM = 5 /* a discrete Fourier transform */
};

/* kiln_norm: The direction of a transform that is scaled. */
enum {
  KILN_NORM_BACKWARD = 0, /* the inverse one */
  KILN_NORM_ORTHO = 1, /* both, by 1/sqrt(n) */
  KILN_NORM_FORWARD = 2 /* the forward one */
};

/* A device. {0, 0} is the device on which a call would run. */
typedef struct kiln_device {
  int32_t type; /* kiln_device_type */
  int32_t index; /* number among the devices of its type */
} kiln_device;

/* The dtype of elements, laid out as DLDataType. {0, 0, 0} is none. */
typedef struct kiln_dtype {
  uint8_t code; /* kiln_dtype_code */
  uint8_t bits; /* bits of an element */
  uint16_t lanes; /* 1 */
} kiln_dtype;

/* The progress of a chunked call. */
typedef struct kiln_progress {
  size_t struct_size; /* bytes of the struct, as the caller knows it */
  int64_t chunks_done; /* chunks whose results are in the host's memory */
  int64_t chunks; /* chunks of the call */
  int64_t bytes_done; /* bytes of inputs and outputs in finished chunks */
  int64_t bytes; /* bytes of all inputs and outputs */
  double seconds; /* time since the call began */
} kiln_progress;
KILN_DEFAULTS(kiln_progress)

/* What a function is. The strings live as long as the function. */
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

/* A step of a fused function: one of its functions, and the numbers of the values that it takes. */
typedef struct kiln_fuse_step {
  const kiln_function* function; /* a ufunc */
  const uint32_t* inputs; /* values: first the inputs of the fused function, then the outputs of each step */
  size_t count; /* number of `inputs` */
} kiln_fuse_step;

/* Counts of a cache in this process. */
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

/* Frees the memory of an array. */
typedef void (*kiln_release_callback)(void* owner);

/* An array in memory: what kiln_array_view and KILN_MEMORY take, and kiln_array_describe gives. */
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

/* One operand of a call: 24 bytes, on the caller's stack. */
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

/* Takes the progress of a chunked call. */
typedef int32_t (*kiln_progress_callback)(const kiln_progress* progress, void* user);

/* The options of a call. Those that a function does not have are KILN_E_ARGUMENT. */
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

/* Allocates memory of a GPU. */
typedef void* (*kiln_allocate_callback)(kiln_device device, size_t bytes, void* stream, void* user);

/* Frees memory of a GPU. */
typedef void (*kiln_deallocate_callback)(kiln_device device, void* memory, size_t bytes, void* stream, void* user);

/* Memory of a GPU. Both functions may be called from any thread, several at once. */
typedef struct kiln_allocator {
  size_t struct_size; /* bytes of the struct, as the caller knows it */
  kiln_allocate_callback allocate; /* returns `bytes` of memory that work on `stream` may use; NULL: there is none */
  kiln_deallocate_callback deallocate; /* takes memory back, which work on `stream` may still use */
  void* user; /* the last argument of both */
} kiln_allocator;
KILN_DEFAULTS(kiln_allocator)

/* Takes a line of the log, or what a kernel prints. */
typedef void (*kiln_text_callback)(const char* text, size_t length, void* user);

/* --- Versions, errors, texts */
/* Returns the version of the library: 1002003 is 1.2.3. */
KILN_C_API uint32_t kiln_version(void) KILN_NOEXCEPT;
/* Returns the name of a status, "KILN_E_SHAPE"; "unknown" for any other number. */
KILN_C_API const char* kiln_status_name(kiln_status status) KILN_NOEXCEPT;
/* Returns the status of an error; KILN_OK for NULL. */
KILN_C_API kiln_status kiln_error_status(const kiln_error* error) KILN_NOEXCEPT;
/* Returns the message of an error, which lives as long as the error; an empty string for NULL. */
KILN_C_API const char* kiln_error_message(const kiln_error* error) KILN_NOEXCEPT;
/* Returns a value of an error, which lives as long as the error. NULL: the error has no such value. Keys: "position" (bytes
 * into the text that was parsed), "vendor_code", "vendor_name", "diagnostics" (JSON), "log", "source", "target", "compiler",
 * "context", "option", "options" (JSON), "code", "reason". The option is a struct's, or the first that the message names.
 * The options are the places of those that it names as C++ does. The code is what `kiln explain` takes, such as "broadcast"
 * or "compile". The reason is the same, where it says more than the status. */
KILN_C_API const char* kiln_error_get(const kiln_error* error, const char* key) KILN_NOEXCEPT;
/* Releases an error. */
KILN_C_API void kiln_error_release(kiln_error* error) KILN_NOEXCEPT;
/* Returns the bytes of a text, which a NUL follows. `length` may be NULL; it gets the number of bytes without that NUL. Both
 * are empty for NULL. */
KILN_C_API const char* kiln_text_data(const kiln_text* text, size_t* length) KILN_NOEXCEPT;
/* Releases a text. */
KILN_C_API void kiln_text_release(kiln_text* text) KILN_NOEXCEPT;

/* --- Devices, streams, events, stops */
/* Gives the device of that name: "cpu", "cuda:1", "hip", "emulated:sm_90", "best". */
KILN_C_API KILN_CHECK kiln_status kiln_device_parse(kiln_device* device, const char* text, size_t length, kiln_error** error)
    KILN_NOEXCEPT;
/* Gives the devices of this machine, `capacity` of them at most. `count` gets the number of all devices. `devices` may be
 * NULL if `capacity` is 0. */
KILN_C_API KILN_CHECK kiln_status kiln_device_list(kiln_device* devices, size_t capacity, size_t* count, kiln_error** error)
    KILN_NOEXCEPT;
/* Gives what is known of a device, as `kiln devices --json` prints it. */
KILN_C_API KILN_CHECK kiln_status kiln_device_info(kiln_text** json, kiln_device device, kiln_error** error) KILN_NOEXCEPT;
/* Makes the device the one on which calls of host arrays run. {0, 0} restores the choice of KILN_DEVICE. The process has one
 * default. */
KILN_C_API KILN_CHECK kiln_status kiln_device_default(kiln_device device, kiln_error** error) KILN_NOEXCEPT;
/* Waits for all work of a device. Fails with the error of that work. */
KILN_C_API KILN_CHECK kiln_status kiln_device_synchronize(kiln_device device, kiln_error** error) KILN_NOEXCEPT;
/* Makes a stream. Lower numbers are more urgent, 0 is usual; a CPU ignores them. */
KILN_C_API KILN_CHECK kiln_status kiln_stream_new(kiln_stream** stream, kiln_device device, int32_t priority, kiln_error**
    error) KILN_NOEXCEPT;
/* Makes a handle on a stream of the vendor's runtime, a CUstream or a hipStream_t. The caller keeps that stream alive. The
 * numbers 1 and 2 are CUDA's legacy default stream and its default stream per thread. */
KILN_C_API KILN_CHECK kiln_status kiln_stream_wrap(kiln_stream** stream, kiln_device device, void* native, kiln_error** error)
    KILN_NOEXCEPT;
/* Returns the vendor's stream; NULL on a CPU and for NULL. */
KILN_C_API void* kiln_stream_native(const kiln_stream* stream) KILN_NOEXCEPT;
/* Waits for the work of a stream. Fails with the error of that work. */
KILN_C_API KILN_CHECK kiln_status kiln_stream_synchronize(const kiln_stream* stream, kiln_error** error) KILN_NOEXCEPT;
/* Makes the later work of a stream wait for an event, without waiting in the caller. */
KILN_C_API KILN_CHECK kiln_status kiln_stream_wait(const kiln_stream* stream, const kiln_event* event, kiln_error** error)
    KILN_NOEXCEPT;
/* Releases a stream. Its work still runs. */
KILN_C_API void kiln_stream_release(kiln_stream* stream) KILN_NOEXCEPT;
/* Makes an event, which counts as reached until it is recorded. */
KILN_C_API KILN_CHECK kiln_status kiln_event_new(kiln_event** event, kiln_device device, kiln_error** error) KILN_NOEXCEPT;
/* Sets the event to the work that a stream has so far. NULL: the default stream. */
KILN_C_API KILN_CHECK kiln_status kiln_event_record(kiln_event* event, const kiln_stream* stream, kiln_error** error)
    KILN_NOEXCEPT;
/* Gives 1 if the event is reached, else 0. */
KILN_C_API KILN_CHECK kiln_status kiln_event_done(int32_t* done, const kiln_event* event, kiln_error** error) KILN_NOEXCEPT;
/* Waits for an event. */
KILN_C_API KILN_CHECK kiln_status kiln_event_synchronize(const kiln_event* event, kiln_error** error) KILN_NOEXCEPT;
/* Waits for an event, but for at most `timeout_ns` nanoseconds. Gives 1 if the event is reached, else 0. */
KILN_C_API KILN_CHECK kiln_status kiln_event_wait_for(int32_t* done, const kiln_event* event, int64_t timeout_ns, kiln_error**
    error) KILN_NOEXCEPT;
/* Gives the milliseconds from one event to another. Both are reached. */
KILN_C_API KILN_CHECK kiln_status kiln_event_elapsed_ms(double* ms, const kiln_event* start, const kiln_event* end,
    kiln_error** error) KILN_NOEXCEPT;
/* Releases an event. */
KILN_C_API void kiln_event_release(kiln_event* event) KILN_NOEXCEPT;
/* Makes a request that has not been made yet. */
KILN_C_API KILN_CHECK kiln_status kiln_stop_new(kiln_stop** stop, kiln_error** error) KILN_NOEXCEPT;
/* Ends the calls that were given the stop, and later ones. Any thread may call it, a callback too. */
KILN_C_API void kiln_stop_request(kiln_stop* stop) KILN_NOEXCEPT;
/* Releases a stop. It does not request it. */
KILN_C_API void kiln_stop_release(kiln_stop* stop) KILN_NOEXCEPT;

/* --- Arrays and DLPack */
/* Makes an array in C order whose elements are zero. {0, 0}: in the host's memory. KILN_CUDA_HOST and KILN_ROCM_HOST: in
 * page-locked memory, for GPUs of that vendor. */
KILN_C_API KILN_CHECK kiln_status kiln_array_new(kiln_array** array, kiln_device device, kiln_dtype dtype, int32_t ndim, const
    int64_t* shape, kiln_error** error) KILN_NOEXCEPT;
/* Makes an array over the caller's memory. kiln calls `release` only if the function succeeds. */
KILN_C_API KILN_CHECK kiln_status kiln_array_view(kiln_array** array, const kiln_array_info* info, kiln_error** error)
    KILN_NOEXCEPT;
/* Fills `info`, whose struct_size the caller has set. Its pointers live as long as the array. */
KILN_C_API KILN_CHECK kiln_status kiln_array_describe(const kiln_array* array, kiln_array_info* info, kiln_error** error)
    KILN_NOEXCEPT;
/* Copies an array to a device, or with {0, 0} to the host. With a stream the copy is queued; else the function waits for a
 * copy to the host. */
KILN_C_API KILN_CHECK kiln_status kiln_array_to(kiln_array** copy, const kiln_array* array, kiln_device device, const
    kiln_stream* stream, kiln_error** error) KILN_NOEXCEPT;
/* Writes `from`, an array or a scalar, to the elements of `to`, with broadcasting. Waits for `ready` of both. Both may be on
 * any device, and may overlap. */
KILN_C_API KILN_CHECK kiln_status kiln_array_assign(const kiln_arg* to, const kiln_arg* from, uint32_t casting, const
    kiln_stream* stream, kiln_error** error) KILN_NOEXCEPT;
/* Makes a copy of the elements that arrays of indices select, one for each of the first axes, by NumPy's rules; an array of
 * bool is a mask. The copy is where the array is. Indices are checked first, which waits for earlier work of a GPU's default
 * stream. */
KILN_C_API KILN_CHECK kiln_status kiln_array_take(kiln_array** copy, const kiln_arg* array, const kiln_arg* indices, size_t
    count, kiln_error** error) KILN_NOEXCEPT;
/* Writes values, an array or a scalar, to the elements that kiln_array_take() would copy, with broadcasting. If an index
 * repeats, the CPU writes the last value, a GPU any of them. */
KILN_C_API KILN_CHECK kiln_status kiln_array_put(const kiln_arg* array, const kiln_arg* indices, size_t count, const kiln_arg*
    values, kiln_error** error) KILN_NOEXCEPT;
/* Writes an array of shape (rows, columns), (rows, columns, 3) or (rows, columns, 4) as a PNG file, whole or not at all.
 * `colormap` is for the first shape: NULL or "gray", "viridis", "magma", "turbo", "twilight", "coolwarm", each with "_r" for
 * its reverse. `low` and `high` are the numbers at its ends; NULL: the least and the greatest finite number. Colours are
 * integers from 0 to 255 or floating-point numbers from 0 to 1; `low` and `high` replace these limits. A NaN is transparent. */
KILN_C_API KILN_CHECK kiln_status kiln_array_save_png(const kiln_arg* array, const char* path, const char* colormap, const
    double* low, const double* high, kiln_error** error) KILN_NOEXCEPT;
/* Makes an array of a DLManagedTensorVersioned, or of a DLManagedTensor if `versioned` is 0. Work of kiln waits for what the
 * producer's stream has so far; NULL: the elements are ready. The array owns the tensor if the function succeeds, and calls
 * its deleter once. A tensor of an unknown major version is deleted, and the function fails. */
KILN_C_API KILN_CHECK kiln_status kiln_array_from_dlpack(kiln_array** array, void* managed, int32_t versioned, const
    kiln_stream* producer, kiln_error** error) KILN_NOEXCEPT;
/* Makes a DLManagedTensorVersioned, or a DLManagedTensor if `versioned` is 0. The consumer's stream waits for the work of
 * kiln's default stream; NULL: the caller sees to it. The tensor shares the array's memory until its deleter is called, from
 * any thread. The older form has no flag for read-only arrays: it fails for them. */
KILN_C_API KILN_CHECK kiln_status kiln_array_to_dlpack(void** managed, const kiln_array* array, int32_t versioned, const
    kiln_stream* consumer, kiln_error** error) KILN_NOEXCEPT;
/* Returns one more reference to the same array, for the caller to release; NULL for NULL. */
KILN_C_API kiln_array* kiln_array_retain(const kiln_array* array) KILN_NOEXCEPT;
/* Releases a reference to an array. */
KILN_C_API void kiln_array_release(kiln_array* array) KILN_NOEXCEPT;
/* Page-locks the host memory of arrays for GPUs of the device's vendor, so that copies run at the speed of the link. {0, 0}:
 * of the best device; on a CPU nothing happens. The memory stays as it is until the registration is released. */
KILN_C_API KILN_CHECK kiln_status kiln_registration_new(kiln_registration** registration, const kiln_arg* arrays, size_t
    count, kiln_device device, kiln_error** error) KILN_NOEXCEPT;
/* Waits for the work of the device, makes the memory pageable again, and releases the registration. */
KILN_C_API void kiln_registration_release(kiln_registration* registration) KILN_NOEXCEPT;

/* --- Functions */
/* Makes a function of one string. A ufunc: "float32 f(float32 a) = a + 1". A generalized ufunc begins with its layout:
 * "(n)->() void f(float32[:] a, float32 b) { … }". Nothing is compiled. */
KILN_C_API KILN_CHECK kiln_status kiln_function_parse(kiln_function** function, const char* text, size_t length, kiln_error**
    error) KILN_NOEXCEPT;
/* Makes a function of a definition, of any kind that a manifest has (docs/manifest.md), or of "fused" with "name", "inputs",
 * "steps" and "outputs". Its kernels go to `cache`. Nothing is compiled. */
KILN_C_API KILN_CHECK kiln_status kiln_function_define(kiln_function** function, const char* json, size_t length, const
    kiln_cache* cache, kiln_error** error) KILN_NOEXCEPT;
/* Gives a ufunc of NumPy's by its name, "hypot", or a transform of numpy.fft, "fft.rfft2". */
KILN_C_API KILN_CHECK kiln_status kiln_function_math(kiln_function** function, const char* name, size_t length, kiln_error**
    error) KILN_NOEXCEPT;
/* Makes one ufunc of a list of steps, which reads and writes memory once. Values have numbers: the inputs, then the outputs
 * of each step. `outputs` are the values that the function returns. */
KILN_C_API KILN_CHECK kiln_status kiln_function_fuse(kiln_function** function, const char* name, size_t length, size_t inputs,
    const kiln_fuse_step* steps, size_t count, const uint32_t* outputs, size_t outputs_count, kiln_error** error)
    KILN_NOEXCEPT;
/* Fills `info`, whose struct_size the caller has set. */
KILN_C_API KILN_CHECK kiln_status kiln_function_describe(const kiln_function* function, kiln_function_info* info, kiln_error**
    error) KILN_NOEXCEPT;
/* Gives a text of a function. Keys: "definition" (canonical JSON, which kiln_function_define takes), "digest" (32
 * hexadecimal digits, the same on every machine), "warnings" (JSON). */
KILN_C_API KILN_CHECK kiln_status kiln_function_get(kiln_text** text, const kiln_function* function, const char* key,
    kiln_error** error) KILN_NOEXCEPT;
/* Compiles the loops whose types are fixed for a target, "sm_90" or "native", with or without such a device. `kernels` may
 * be NULL; it gets the number of kernels that the cache now has. */
KILN_C_API KILN_CHECK kiln_status kiln_function_compile(int64_t* kernels, const kiln_function* function, const char* target,
    kiln_error** error) KILN_NOEXCEPT;
/* Gives a __constant__ variable of a kernel in CUDA's language, "shift" or "filters::weights", the elements of an array, in
 * C order. The rest of the variable keeps what it had. Copies the array. Launches of this function from now on see them; one
 * fails with KILN_E_SHAPE if the variable has fewer bytes. KILN_E_TYPE: no variable has this name, or its values are those
 * of the text. */
KILN_C_API KILN_CHECK kiln_status kiln_function_set_constant(const kiln_function* function, const char* name, size_t length,
    const kiln_arg* values, kiln_error** error) KILN_NOEXCEPT;
/* Gives the body of a ufunc as a device function for other linkers. `options` is a JSON object with "name", "signature" and
 * "form", or NULL. */
KILN_C_API KILN_CHECK kiln_status kiln_function_device_code(kiln_text** code, const kiln_function* function, const char*
    target, const char* options, kiln_error** error) KILN_NOEXCEPT;
/* Returns one more reference to the same function, for the caller to release; NULL for NULL. */
KILN_C_API kiln_function* kiln_function_retain(const kiln_function* function) KILN_NOEXCEPT;
/* Releases a reference to a function. Calls that run keep their own. */
KILN_C_API void kiln_function_release(kiln_function* function) KILN_NOEXCEPT;

/* --- Calls */
/* Calls a function. An output of kind KILN_NONE becomes a new KILN_ARRAY, which the caller releases; any other output is
 * written in place. A call of a raw kernel has no outputs: its inputs are its parameters. `options` may be NULL. If the call
 * fails no output was modified, except by calls in chunks and stopped calls. */
KILN_C_API KILN_CHECK kiln_status kiln_call(const kiln_function* function, kiln_arg* outputs, size_t nout, const kiln_arg*
    inputs, size_t nin, const kiln_call_options* options, kiln_error** error) KILN_NOEXCEPT;
/* Gives the plan of a call, and runs nothing: "loop", "dtypes", "casts", "shape", "variant", "device", "copies", and for a
 * generalized ufunc "sizes", "outputs", "constants", "layouts". */
KILN_C_API KILN_CHECK kiln_status kiln_resolve(kiln_text** json, const kiln_function* function, const kiln_arg* outputs,
    size_t nout, const kiln_arg* inputs, size_t nin, const kiln_call_options* options, kiln_error** error) KILN_NOEXCEPT;
/* Gives the kernel that a call would run, and runs nothing. Forms: "source", "ptx", "sass", "amdgcn", "asm", "llvm-ir",
 * "code" (bytes), "resources" (JSON), "entry" (JSON). */
KILN_C_API KILN_CHECK kiln_status kiln_inspect(kiln_text** text, const char* form, const kiln_function* function, const
    kiln_arg* outputs, size_t nout, const kiln_arg* inputs, size_t nin, const kiln_call_options* options, kiln_error** error)
    KILN_NOEXCEPT;
/* Makes accumulators of a part of an array, which is cut along the first of the reduced axes. `global_offset` is the index
 * of its first element along that axis, and `global_size` the extent of the whole array; -1: this part is the last. Options:
 * "axis", "where", "dtype", stream, device, stop, timeout; of a reduction also "casting" and "signature". */
KILN_C_API KILN_CHECK kiln_status kiln_partial_new(kiln_partial** partial, const kiln_function* function, const kiln_arg*
    inputs, size_t nin, int64_t global_offset, int64_t global_size, const kiln_call_options* options, kiln_error** error)
    KILN_NOEXCEPT;
/* Combines the accumulators of two parts, the second of which follows the first. The bits do not depend on the cuts. */
KILN_C_API KILN_CHECK kiln_status kiln_partial_combine(kiln_partial** partial, const kiln_partial* first, const kiln_partial*
    next, kiln_error** error) KILN_NOEXCEPT;
/* Gives the results, one new array for each output, once no element is missing. Options: "initial", "keepdims". */
KILN_C_API KILN_CHECK kiln_status kiln_partial_finish(kiln_array** results, size_t nout, const kiln_partial* partial, const
    kiln_call_options* options, kiln_error** error) KILN_NOEXCEPT;
/* Gives the running results of a part, which go on from all elements before it. `before` has the accumulators of 0 to
 * `global_offset`. It may be NULL for a part that begins at 0. The bits do not depend on the cuts. Options: "axis" (one),
 * "dtype", stream, device, stop, timeout. */
KILN_C_API KILN_CHECK kiln_status kiln_partial_accumulate(kiln_array** result, const kiln_function* function, const kiln_arg*
    input, const kiln_partial* before, int64_t global_offset, int64_t global_size, const kiln_call_options* options,
    kiln_error** error) KILN_NOEXCEPT;
/* Gives three numbers along the cut axis: the first index of the part, the index after its last, and the extent of the whole
 * array. */
KILN_C_API KILN_CHECK kiln_status kiln_partial_range(int64_t* range, const kiln_partial* partial, kiln_error** error)
    KILN_NOEXCEPT;
/* Gives the accumulators as bytes, for another process. */
KILN_C_API KILN_CHECK kiln_status kiln_partial_bytes(kiln_text** bytes, const kiln_partial* partial, kiln_error** error)
    KILN_NOEXCEPT;
/* Makes accumulators of such bytes. Bytes of another function, definition or version, and damaged ones, are KILN_E_TYPE. */
KILN_C_API KILN_CHECK kiln_status kiln_partial_read(kiln_partial** partial, const kiln_function* function, const char* bytes,
    size_t length, kiln_error** error) KILN_NOEXCEPT;
/* Releases accumulators. */
KILN_C_API void kiln_partial_release(kiln_partial* partial) KILN_NOEXCEPT;
/* Gives a statistic of an array by NumPy's name and rules: "sum", "prod", "min", "max", "any", "all", "mean", "var", "std",
 * "argmin", "argmax", "cumsum" or "cumprod". Without an axis it is that of all elements. "var" and "std" divide by the
 * number of elements less `ddof`, which is 0 for the others. Options: "axis", "dtype", "keepdims", stream. */
KILN_C_API KILN_CHECK kiln_status kiln_statistic(kiln_array** result, const char* name, size_t length, const kiln_arg* input,
    double ddof, const kiln_call_options* options, kiln_error** error) KILN_NOEXCEPT;

/* --- Graphs */
/* Begins to record the calls that this thread makes on a stream, instead of running them. NULL: the default stream. */
KILN_C_API KILN_CHECK kiln_status kiln_graph_begin(const kiln_stream* stream, kiln_error** error) KILN_NOEXCEPT;
/* Ends the recording of this thread, and gives what was recorded. If `graph` is NULL it is thrown away. */
KILN_C_API KILN_CHECK kiln_status kiln_graph_end(kiln_graph** graph, kiln_error** error) KILN_NOEXCEPT;
/* Queues the recorded calls as one. NULL: on the stream that was recorded. */
KILN_C_API KILN_CHECK kiln_status kiln_graph_launch(kiln_graph* graph, const kiln_stream* stream, kiln_error** error)
    KILN_NOEXCEPT;
/* Makes later launches use other arrays, of equal dtype, shape, strides and device. */
KILN_C_API KILN_CHECK kiln_status kiln_graph_exchange(kiln_graph* graph, size_t count, const kiln_array* const* old_arrays,
    const kiln_array* const* new_arrays, kiln_error** error) KILN_NOEXCEPT;
/* Releases a graph. Launches that run are not affected. */
KILN_C_API void kiln_graph_release(kiln_graph* graph) KILN_NOEXCEPT;

/* --- The cache, manifests, the process */
/* Opens a cache. `options` is a JSON object with "directory", "read_only" (a list of directories and bundles), "max_bytes",
 * "memory_bytes" and "wait_ms", or NULL for memory alone. */
KILN_C_API KILN_CHECK kiln_status kiln_cache_open(kiln_cache** cache, const char* options, kiln_error** error) KILN_NOEXCEPT;
/* Fills `stats`, whose struct_size the caller has set. */
KILN_C_API KILN_CHECK kiln_status kiln_cache_statistics(const kiln_cache* cache, kiln_cache_stats* stats, kiln_error** error)
    KILN_NOEXCEPT;
/* Gives a bundle of kernels as bytes: those of the ids, or all if `count` is 0. */
KILN_C_API KILN_CHECK kiln_status kiln_cache_export(kiln_text** bundle, const kiln_cache* cache, const char* const* ids,
    size_t count, kiln_error** error) KILN_NOEXCEPT;
/* Puts the kernels of a bundle into a cache with a directory. */
KILN_C_API KILN_CHECK kiln_status kiln_cache_import(const kiln_cache* cache, const void* bundle, size_t length, kiln_error**
    error) KILN_NOEXCEPT;
/* Releases a cache. Functions that use it keep it. */
KILN_C_API void kiln_cache_release(kiln_cache* cache) KILN_NOEXCEPT;
/* Compiles the kernels of a manifest for targets, separated by commas, and reports each: "found", "compiled", "failed" and
 * "kernels", a list. A kernel that fails does not stop the others, and the function succeeds. */
KILN_C_API KILN_CHECK kiln_status kiln_manifest_compile(kiln_text** report, const char* manifest, size_t length, const char*
    target, const kiln_cache* cache, kiln_error** error) KILN_NOEXCEPT;
/* Begins to compile the kernels of a manifest, each once among `size` processes, which call this with the same manifest and
 * options. `options` is a JSON object with "targets" (a list), "timeout_ms", "jobs" and "other_sizes", or NULL. Then each
 * gathers the message of every rank and receives them, until there is no message. */
KILN_C_API KILN_CHECK kiln_status kiln_warming_new(kiln_warming** warming, int32_t rank, int32_t size, const char* manifest,
    size_t length, const char* options, const kiln_cache* cache, kiln_error** error) KILN_NOEXCEPT;
/* Gives the bytes that every rank is to receive next; NULL once all ranks are known to have all kernels. */
KILN_C_API KILN_CHECK kiln_status kiln_warming_message(kiln_text** message, const kiln_warming* warming, kiln_error** error)
    KILN_NOEXCEPT;
/* Takes the messages of all ranks, in the order of the ranks, and works until the next message: it takes as long as this
 * rank's compiles. What one rank fails at is KILN_E_RANK on all. */
KILN_C_API KILN_CHECK kiln_status kiln_warming_receive(kiln_warming* warming, const char* const* messages, const size_t*
    lengths, size_t count, kiln_error** error) KILN_NOEXCEPT;
/* Gives who compiled what: "cpu_target", "kernels", "found", "compiled" (a list), "ranks" (a list), "bytes", "seconds" and
 * "text". */
KILN_C_API KILN_CHECK kiln_status kiln_warming_report(kiln_text** json, const kiln_warming* warming, kiln_error** error)
    KILN_NOEXCEPT;
/* Releases a warming, finished or not. No process hears of it. */
KILN_C_API void kiln_warming_release(kiln_warming* warming) KILN_NOEXCEPT;
/* Does what `kiln` the command does, with JSON in and out: {"command": "cache.list"}. docs/c.md lists the commands. Replies
 * are what `kiln … --json` prints. */
KILN_C_API KILN_CHECK kiln_status kiln_command(kiln_text** reply, const char* request, size_t length, const kiln_cache* cache,
    kiln_error** error) KILN_NOEXCEPT;
/* Sets who takes the lines of the log; NULL: nobody. The callback may be called from any thread, several at once. */
KILN_C_API void kiln_set_log(kiln_text_callback log, void* user) KILN_NOEXCEPT;
/* Sets who takes what kernels print; NULL: standard output. The callback may be called from any thread, one at a time. */
KILN_C_API void kiln_set_print(kiln_text_callback print, void* user) KILN_NOEXCEPT;
/* Makes kiln allocate the memory of a GPU by the caller's functions. NULL: by its own. Memory goes back to the allocator
 * that it came from. */
KILN_C_API KILN_CHECK kiln_status kiln_set_allocator(kiln_device device, const kiln_allocator* allocator, kiln_error** error)
    KILN_NOEXCEPT;

/* Operands. What they refer to must live until the call returns. */
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
/* Memory of the host in C order. `shape` must live as long as the result is used. */
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
/* NOLINTEND(modernize-use-using) */
