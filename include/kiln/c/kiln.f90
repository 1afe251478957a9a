! The C interface of kiln for Fortran. Made by scripts/c_interface.py of kiln.yml. Do not edit.
! Handles and arrays are type(c_ptr). Strings are passed with their length: f(text, len(text, c_size_t)),
! or end with c_null_char where the function takes no length.
module kiln
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer(c_size_t), parameter :: KILN_NUL = -1, KILN_ALL_AXES = -1
  integer(c_int32_t), parameter :: KILN_OK = 0
  integer(c_int32_t), parameter :: KILN_E_SIGNATURE = 1
  integer(c_int32_t), parameter :: KILN_E_SHAPE = 2
  integer(c_int32_t), parameter :: KILN_E_TYPE = 3
  integer(c_int32_t), parameter :: KILN_E_STOPPED = 4
  integer(c_int32_t), parameter :: KILN_E_DEVICE = 5
  integer(c_int32_t), parameter :: KILN_E_CACHE = 6
  integer(c_int32_t), parameter :: KILN_E_IO = 7
  integer(c_int32_t), parameter :: KILN_E_COMPILE = 8
  integer(c_int32_t), parameter :: KILN_E_ARGUMENT = 9
  integer(c_int32_t), parameter :: KILN_E_MEMORY = 10
  integer(c_int32_t), parameter :: KILN_E_INTERNAL = 11
  integer(c_int32_t), parameter :: KILN_E_RANK = 12
  integer(c_int32_t), parameter :: KILN_CPU = 1
  integer(c_int32_t), parameter :: KILN_CUDA = 2
  integer(c_int32_t), parameter :: KILN_CUDA_HOST = 3
  integer(c_int32_t), parameter :: KILN_ROCM = 10
  integer(c_int32_t), parameter :: KILN_ROCM_HOST = 11
  integer(c_int32_t), parameter :: KILN_EMULATED = 1200
  integer(c_int32_t), parameter :: KILN_INT = 0
  integer(c_int32_t), parameter :: KILN_UINT = 1
  integer(c_int32_t), parameter :: KILN_FLOAT = 2
  integer(c_int32_t), parameter :: KILN_BFLOAT = 4
  integer(c_int32_t), parameter :: KILN_COMPLEX = 5
  integer(c_int32_t), parameter :: KILN_BOOL = 6
  integer(c_int32_t), parameter :: KILN_NONE = 0
  integer(c_int32_t), parameter :: KILN_ARRAY = 1
  integer(c_int32_t), parameter :: KILN_DLTENSOR = 2
  integer(c_int32_t), parameter :: KILN_SCALAR = 3
  integer(c_int32_t), parameter :: KILN_SCALAR_AT = 4
  integer(c_int32_t), parameter :: KILN_MEMORY = 5
  integer(c_int32_t), parameter :: KILN_CALL_METHOD = 0
  integer(c_int32_t), parameter :: KILN_OUTER = 1
  integer(c_int32_t), parameter :: KILN_REDUCE = 2
  integer(c_int32_t), parameter :: KILN_ACCUMULATE = 3
  integer(c_int32_t), parameter :: KILN_REDUCEAT = 4
  integer(c_int32_t), parameter :: KILN_AT = 5
  integer(c_int32_t), parameter :: KILN_SAME_KIND = 0
  integer(c_int32_t), parameter :: KILN_NO = 1
  integer(c_int32_t), parameter :: KILN_EQUIV = 2
  integer(c_int32_t), parameter :: KILN_SAFE = 3
  integer(c_int32_t), parameter :: KILN_UNSAFE = 4
  integer(c_int32_t), parameter :: KILN_UFUNC = 1
  integer(c_int32_t), parameter :: KILN_GUFUNC = 2
  integer(c_int32_t), parameter :: KILN_REDUCTION = 3
  integer(c_int32_t), parameter :: KILN_KERNEL = 4
  integer(c_int32_t), parameter :: KILN_TRANSFORM = 5
  integer(c_int32_t), parameter :: KILN_NORM_BACKWARD = 0
  integer(c_int32_t), parameter :: KILN_NORM_ORTHO = 1
  integer(c_int32_t), parameter :: KILN_NORM_FORWARD = 2

  type, bind(c) :: kiln_device
    integer(c_int32_t) :: type = 0
    integer(c_int32_t) :: index = 0
  end type kiln_device

  type, bind(c) :: kiln_dtype
    integer(c_int8_t) :: code = 0
    integer(c_int8_t) :: bits = 0
    integer(c_int16_t) :: lanes = 0
  end type kiln_dtype

  type, bind(c) :: kiln_progress
    integer(c_size_t) :: struct_size = 0
    integer(c_int64_t) :: chunks_done = 0
    integer(c_int64_t) :: chunks = 0
    integer(c_int64_t) :: bytes_done = 0
    integer(c_int64_t) :: bytes = 0
    real(c_double) :: seconds = 0
  end type kiln_progress

  type, bind(c) :: kiln_function_info
    integer(c_size_t) :: struct_size = 0
    integer(c_int32_t) :: kind = 0
    integer(c_int32_t) :: nin = 0
    integer(c_int32_t) :: nout = 0
    integer(c_int32_t) :: reorderable = 0
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: layout = c_null_ptr
    type(c_ptr) :: identity = c_null_ptr
  end type kiln_function_info

  type, bind(c) :: kiln_fuse_step
    type(c_ptr) :: function = c_null_ptr
    type(c_ptr) :: inputs = c_null_ptr
    integer(c_size_t) :: count = 0
  end type kiln_fuse_step

  type, bind(c) :: kiln_cache_stats
    integer(c_size_t) :: struct_size = 0
    integer(c_int64_t) :: memory_hits = 0
    integer(c_int64_t) :: disk_hits = 0
    integer(c_int64_t) :: read_only_hits = 0
    integer(c_int64_t) :: compiles = 0
    integer(c_int64_t) :: failures = 0
    integer(c_int64_t) :: bytes_read = 0
    integer(c_int64_t) :: bytes_written = 0
    integer(c_int64_t) :: memory_bytes = 0
    real(c_double) :: compile_ms = 0
    real(c_double) :: saved_ms = 0
  end type kiln_cache_stats

  type, bind(c) :: kiln_array_info
    integer(c_size_t) :: struct_size = 0
    type(c_ptr) :: data = c_null_ptr
    type(kiln_device) :: device
    type(kiln_dtype) :: dtype
    integer(c_int32_t) :: ndim = 0
    type(c_ptr) :: shape = c_null_ptr
    type(c_ptr) :: strides = c_null_ptr
    integer(c_int32_t) :: read_only = 0
    integer(c_int32_t) :: reserved = 0
    type(c_funptr) :: release = c_null_funptr
    type(c_ptr) :: owner = c_null_ptr
  end type kiln_array_info

  type, bind(c) :: kiln_arg
    integer(c_int32_t) :: kind = 0
    type(kiln_dtype) :: dtype
    integer(c_int64_t) :: value = 0
    type(c_ptr) :: ready = c_null_ptr
  end type kiln_arg

  type, bind(c) :: kiln_call_options
    integer(c_size_t) :: struct_size = 0
    type(c_ptr) :: stream = c_null_ptr
    type(kiln_device) :: device
    integer(c_int32_t) :: method = 0
    integer(c_int32_t) :: casting = 0
    type(kiln_arg) :: where
    type(kiln_arg) :: initial
    type(kiln_dtype) :: dtype
    integer(c_int32_t) :: keepdims = 0
    type(c_ptr) :: axis = c_null_ptr
    integer(c_size_t) :: axis_count = 0
    type(c_ptr) :: signature = c_null_ptr
    integer(c_size_t) :: signature_length = 0
    type(c_ptr) :: core_axes = c_null_ptr
    type(c_ptr) :: core_axes_counts = c_null_ptr
    integer(c_size_t) :: core_axes_operands = 0
    integer(c_int64_t) :: size = 0
    integer(c_int32_t) :: has_size = 0
    integer(c_int32_t) :: chunked = 0
    integer(c_int64_t) :: grid(3) = 0
    integer(c_int64_t) :: block(3) = 0
    integer(c_int64_t) :: shared_bytes = 0
    integer(c_int64_t) :: timeout_ns = 0
    type(c_ptr) :: stop = c_null_ptr
    integer(c_int64_t) :: chunk_bytes = 0
    type(c_ptr) :: devices = c_null_ptr
    integer(c_size_t) :: devices_count = 0
    type(c_funptr) :: progress = c_null_funptr
    type(c_ptr) :: progress_user = c_null_ptr
    type(c_ptr) :: lengths = c_null_ptr
    integer(c_size_t) :: lengths_count = 0
    integer(c_int32_t) :: norm = 0
    integer(c_int32_t) :: measure = 0
  end type kiln_call_options

  type, bind(c) :: kiln_allocator
    integer(c_size_t) :: struct_size = 0
    type(c_funptr) :: allocate = c_null_funptr
    type(c_funptr) :: deallocate = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type kiln_allocator

  interface
    function kiln_version() bind(c, name="kiln_version") result(result_)
      import
      integer(c_int32_t) :: result_
    end function kiln_version
    function kiln_status_name(status) bind(c, name="kiln_status_name") result(result_)
      import
      integer(c_int32_t), intent(in), value :: status
      type(c_ptr) :: result_
    end function kiln_status_name
    function kiln_error_status(error) bind(c, name="kiln_error_status") result(result_)
      import
      type(c_ptr), intent(in), value :: error
      integer(c_int32_t) :: result_
    end function kiln_error_status
    function kiln_error_message(error) bind(c, name="kiln_error_message") result(result_)
      import
      type(c_ptr), intent(in), value :: error
      type(c_ptr) :: result_
    end function kiln_error_message
    function kiln_error_get(error, &
      & key) bind(c, name="kiln_error_get") result(result_)
      import
      type(c_ptr), intent(in), value :: error
      character(kind=c_char), intent(in) :: key(*)
      type(c_ptr) :: result_
    end function kiln_error_get
    subroutine kiln_error_release(error) bind(c, name="kiln_error_release")
      import
      type(c_ptr), intent(in), value :: error
    end subroutine kiln_error_release
    function kiln_text_data(text, &
      & length) bind(c, name="kiln_text_data") result(result_)
      import
      type(c_ptr), intent(in), value :: text
      integer(c_size_t), intent(inout) :: length
      type(c_ptr) :: result_
    end function kiln_text_data
    subroutine kiln_text_release(text) bind(c, name="kiln_text_release")
      import
      type(c_ptr), intent(in), value :: text
    end subroutine kiln_text_release
    function kiln_device_parse(device, &
      & text, &
      & length, &
      & error) bind(c, name="kiln_device_parse") result(result_)
      import
      type(kiln_device), intent(inout) :: device
      character(kind=c_char), intent(in) :: text(*)
      integer(c_size_t), intent(in), value :: length
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_device_parse
    function kiln_device_list(devices, &
      & capacity, &
      & count, &
      & error) bind(c, name="kiln_device_list") result(result_)
      import
      type(c_ptr), intent(in), value :: devices
      integer(c_size_t), intent(in), value :: capacity
      integer(c_size_t), intent(inout) :: count
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_device_list
    function kiln_device_info(json, &
      & device, &
      & error) bind(c, name="kiln_device_info") result(result_)
      import
      type(c_ptr), intent(inout) :: json
      type(kiln_device), intent(in), value :: device
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_device_info
    function kiln_device_default(device, &
      & error) bind(c, name="kiln_device_default") result(result_)
      import
      type(kiln_device), intent(in), value :: device
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_device_default
    function kiln_device_synchronize(device, &
      & error) bind(c, name="kiln_device_synchronize") result(result_)
      import
      type(kiln_device), intent(in), value :: device
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_device_synchronize
    function kiln_stream_new(stream, &
      & device, &
      & priority, &
      & error) bind(c, name="kiln_stream_new") result(result_)
      import
      type(c_ptr), intent(inout) :: stream
      type(kiln_device), intent(in), value :: device
      integer(c_int32_t), intent(in), value :: priority
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_stream_new
    function kiln_stream_wrap(stream, &
      & device, &
      & native, &
      & error) bind(c, name="kiln_stream_wrap") result(result_)
      import
      type(c_ptr), intent(inout) :: stream
      type(kiln_device), intent(in), value :: device
      type(c_ptr), intent(in), value :: native
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_stream_wrap
    function kiln_stream_native(stream) bind(c, name="kiln_stream_native") result(result_)
      import
      type(c_ptr), intent(in), value :: stream
      type(c_ptr) :: result_
    end function kiln_stream_native
    function kiln_stream_synchronize(stream, &
      & error) bind(c, name="kiln_stream_synchronize") result(result_)
      import
      type(c_ptr), intent(in), value :: stream
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_stream_synchronize
    function kiln_stream_wait(stream, &
      & event, &
      & error) bind(c, name="kiln_stream_wait") result(result_)
      import
      type(c_ptr), intent(in), value :: stream
      type(c_ptr), intent(in), value :: event
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_stream_wait
    subroutine kiln_stream_release(stream) bind(c, name="kiln_stream_release")
      import
      type(c_ptr), intent(in), value :: stream
    end subroutine kiln_stream_release
    function kiln_event_new(event, &
      & device, &
      & error) bind(c, name="kiln_event_new") result(result_)
      import
      type(c_ptr), intent(inout) :: event
      type(kiln_device), intent(in), value :: device
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_event_new
    function kiln_event_record(event, &
      & stream, &
      & error) bind(c, name="kiln_event_record") result(result_)
      import
      type(c_ptr), intent(in), value :: event
      type(c_ptr), intent(in), value :: stream
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_event_record
    function kiln_event_done(done, &
      & event, &
      & error) bind(c, name="kiln_event_done") result(result_)
      import
      integer(c_int32_t), intent(inout) :: done
      type(c_ptr), intent(in), value :: event
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_event_done
    function kiln_event_synchronize(event, &
      & error) bind(c, name="kiln_event_synchronize") result(result_)
      import
      type(c_ptr), intent(in), value :: event
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_event_synchronize
    function kiln_event_wait_for(done, &
      & event, &
      & timeout_ns, &
      & error) bind(c, name="kiln_event_wait_for") result(result_)
      import
      integer(c_int32_t), intent(inout) :: done
      type(c_ptr), intent(in), value :: event
      integer(c_int64_t), intent(in), value :: timeout_ns
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_event_wait_for
    function kiln_event_elapsed_ms(ms, &
      & start, &
      & end, &
      & error) bind(c, name="kiln_event_elapsed_ms") result(result_)
      import
      real(c_double), intent(inout) :: ms
      type(c_ptr), intent(in), value :: start
      type(c_ptr), intent(in), value :: end
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_event_elapsed_ms
    subroutine kiln_event_release(event) bind(c, name="kiln_event_release")
      import
      type(c_ptr), intent(in), value :: event
    end subroutine kiln_event_release
    function kiln_stop_new(stop, &
      & error) bind(c, name="kiln_stop_new") result(result_)
      import
      type(c_ptr), intent(inout) :: stop
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_stop_new
    subroutine kiln_stop_request(stop) bind(c, name="kiln_stop_request")
      import
      type(c_ptr), intent(in), value :: stop
    end subroutine kiln_stop_request
    subroutine kiln_stop_release(stop) bind(c, name="kiln_stop_release")
      import
      type(c_ptr), intent(in), value :: stop
    end subroutine kiln_stop_release
    function kiln_array_new(array, &
      & device, &
      & dtype, &
      & ndim, &
      & shape, &
      & error) bind(c, name="kiln_array_new") result(result_)
      import
      type(c_ptr), intent(inout) :: array
      type(kiln_device), intent(in), value :: device
      type(kiln_dtype), intent(in), value :: dtype
      integer(c_int32_t), intent(in), value :: ndim
      type(c_ptr), intent(in), value :: shape
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_array_new
    function kiln_array_view(array, &
      & info, &
      & error) bind(c, name="kiln_array_view") result(result_)
      import
      type(c_ptr), intent(inout) :: array
      type(c_ptr), intent(in), value :: info
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_array_view
    function kiln_array_describe(array, &
      & info, &
      & error) bind(c, name="kiln_array_describe") result(result_)
      import
      type(c_ptr), intent(in), value :: array
      type(kiln_array_info), intent(inout) :: info
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_array_describe
    function kiln_array_to(copy, &
      & array, &
      & device, &
      & stream, &
      & error) bind(c, name="kiln_array_to") result(result_)
      import
      type(c_ptr), intent(inout) :: copy
      type(c_ptr), intent(in), value :: array
      type(kiln_device), intent(in), value :: device
      type(c_ptr), intent(in), value :: stream
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_array_to
    function kiln_array_assign(to, &
      & from, &
      & casting, &
      & stream, &
      & error) bind(c, name="kiln_array_assign") result(result_)
      import
      type(c_ptr), intent(in), value :: to
      type(c_ptr), intent(in), value :: from
      integer(c_int32_t), intent(in), value :: casting
      type(c_ptr), intent(in), value :: stream
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_array_assign
    function kiln_array_take(copy, &
      & array, &
      & indices, &
      & count, &
      & error) bind(c, name="kiln_array_take") result(result_)
      import
      type(c_ptr), intent(inout) :: copy
      type(c_ptr), intent(in), value :: array
      type(c_ptr), intent(in), value :: indices
      integer(c_size_t), intent(in), value :: count
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_array_take
    function kiln_array_put(array, &
      & indices, &
      & count, &
      & values, &
      & error) bind(c, name="kiln_array_put") result(result_)
      import
      type(c_ptr), intent(in), value :: array
      type(c_ptr), intent(in), value :: indices
      integer(c_size_t), intent(in), value :: count
      type(c_ptr), intent(in), value :: values
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_array_put
    function kiln_array_save_png(array, &
      & path, &
      & colormap, &
      & low, &
      & high, &
      & error) bind(c, name="kiln_array_save_png") result(result_)
      import
      type(c_ptr), intent(in), value :: array
      character(kind=c_char), intent(in) :: path(*)
      character(kind=c_char), intent(in) :: colormap(*)
      type(c_ptr), intent(in), value :: low
      type(c_ptr), intent(in), value :: high
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_array_save_png
    function kiln_array_from_dlpack(array, &
      & managed, &
      & versioned, &
      & producer, &
      & error) bind(c, name="kiln_array_from_dlpack") result(result_)
      import
      type(c_ptr), intent(inout) :: array
      type(c_ptr), intent(in), value :: managed
      integer(c_int32_t), intent(in), value :: versioned
      type(c_ptr), intent(in), value :: producer
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_array_from_dlpack
    function kiln_array_to_dlpack(managed, &
      & array, &
      & versioned, &
      & consumer, &
      & error) bind(c, name="kiln_array_to_dlpack") result(result_)
      import
      type(c_ptr), intent(inout) :: managed
      type(c_ptr), intent(in), value :: array
      integer(c_int32_t), intent(in), value :: versioned
      type(c_ptr), intent(in), value :: consumer
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_array_to_dlpack
    function kiln_array_retain(array) bind(c, name="kiln_array_retain") result(result_)
      import
      type(c_ptr), intent(in), value :: array
      type(c_ptr) :: result_
    end function kiln_array_retain
    subroutine kiln_array_release(array) bind(c, name="kiln_array_release")
      import
      type(c_ptr), intent(in), value :: array
    end subroutine kiln_array_release
    function kiln_registration_new(registration, &
      & arrays, &
      & count, &
      & device, &
      & error) bind(c, name="kiln_registration_new") result(result_)
      import
      type(c_ptr), intent(inout) :: registration
      type(c_ptr), intent(in), value :: arrays
      integer(c_size_t), intent(in), value :: count
      type(kiln_device), intent(in), value :: device
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_registration_new
    subroutine kiln_registration_release(registration) bind(c, name="kiln_registration_release")
      import
      type(c_ptr), intent(in), value :: registration
    end subroutine kiln_registration_release
    function kiln_function_parse(function, &
      & text, &
      & length, &
      & error) bind(c, name="kiln_function_parse") result(result_)
      import
      type(c_ptr), intent(inout) :: function
      character(kind=c_char), intent(in) :: text(*)
      integer(c_size_t), intent(in), value :: length
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_function_parse
    function kiln_function_define(function, &
      & json, &
      & length, &
      & cache, &
      & error) bind(c, name="kiln_function_define") result(result_)
      import
      type(c_ptr), intent(inout) :: function
      character(kind=c_char), intent(in) :: json(*)
      integer(c_size_t), intent(in), value :: length
      type(c_ptr), intent(in), value :: cache
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_function_define
    function kiln_function_math(function, &
      & name, &
      & length, &
      & error) bind(c, name="kiln_function_math") result(result_)
      import
      type(c_ptr), intent(inout) :: function
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), intent(in), value :: length
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_function_math
    function kiln_function_fuse(function, &
      & name, &
      & length, &
      & inputs, &
      & steps, &
      & count, &
      & outputs, &
      & outputs_count, &
      & error) bind(c, name="kiln_function_fuse") result(result_)
      import
      type(c_ptr), intent(inout) :: function
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), intent(in), value :: length
      integer(c_size_t), intent(in), value :: inputs
      type(c_ptr), intent(in), value :: steps
      integer(c_size_t), intent(in), value :: count
      type(c_ptr), intent(in), value :: outputs
      integer(c_size_t), intent(in), value :: outputs_count
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_function_fuse
    function kiln_function_describe(function, &
      & info, &
      & error) bind(c, name="kiln_function_describe") result(result_)
      import
      type(c_ptr), intent(in), value :: function
      type(kiln_function_info), intent(inout) :: info
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_function_describe
    function kiln_function_get(text, &
      & function, &
      & key, &
      & error) bind(c, name="kiln_function_get") result(result_)
      import
      type(c_ptr), intent(inout) :: text
      type(c_ptr), intent(in), value :: function
      character(kind=c_char), intent(in) :: key(*)
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_function_get
    function kiln_function_compile(kernels, &
      & function, &
      & target, &
      & error) bind(c, name="kiln_function_compile") result(result_)
      import
      integer(c_int64_t), intent(inout) :: kernels
      type(c_ptr), intent(in), value :: function
      character(kind=c_char), intent(in) :: target(*)
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_function_compile
    function kiln_function_set_constant(function, &
      & name, &
      & length, &
      & values, &
      & error) bind(c, name="kiln_function_set_constant") result(result_)
      import
      type(c_ptr), intent(in), value :: function
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), intent(in), value :: length
      type(c_ptr), intent(in), value :: values
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_function_set_constant
    function kiln_function_device_code(code, &
      & function, &
      & target, &
      & options, &
      & error) bind(c, name="kiln_function_device_code") result(result_)
      import
      type(c_ptr), intent(inout) :: code
      type(c_ptr), intent(in), value :: function
      character(kind=c_char), intent(in) :: target(*)
      character(kind=c_char), intent(in) :: options(*)
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_function_device_code
    function kiln_function_retain(function) bind(c, name="kiln_function_retain") result(result_)
      import
      type(c_ptr), intent(in), value :: function
      type(c_ptr) :: result_
    end function kiln_function_retain
    subroutine kiln_function_release(function) bind(c, name="kiln_function_release")
      import
      type(c_ptr), intent(in), value :: function
    end subroutine kiln_function_release
    function kiln_call(function, &
      & outputs, &
      & nout, &
      & inputs, &
      & nin, &
      & options, &
      & error) bind(c, name="kiln_call") result(result_)
      import
      type(c_ptr), intent(in), value :: function
      type(c_ptr), intent(in), value :: outputs
      integer(c_size_t), intent(in), value :: nout
      type(c_ptr), intent(in), value :: inputs
      integer(c_size_t), intent(in), value :: nin
      type(c_ptr), intent(in), value :: options
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_call
    function kiln_resolve(json, &
      & function, &
      & outputs, &
      & nout, &
      & inputs, &
      & nin, &
      & options, &
      & error) bind(c, name="kiln_resolve") result(result_)
      import
      type(c_ptr), intent(inout) :: json
      type(c_ptr), intent(in), value :: function
      type(c_ptr), intent(in), value :: outputs
      integer(c_size_t), intent(in), value :: nout
      type(c_ptr), intent(in), value :: inputs
      integer(c_size_t), intent(in), value :: nin
      type(c_ptr), intent(in), value :: options
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_resolve
    function kiln_inspect(text, &
      & form, &
      & function, &
      & outputs, &
      & nout, &
      & inputs, &
      & nin, &
      & options, &
      & error) bind(c, name="kiln_inspect") result(result_)
      import
      type(c_ptr), intent(inout) :: text
      character(kind=c_char), intent(in) :: form(*)
      type(c_ptr), intent(in), value :: function
      type(c_ptr), intent(in), value :: outputs
      integer(c_size_t), intent(in), value :: nout
      type(c_ptr), intent(in), value :: inputs
      integer(c_size_t), intent(in), value :: nin
      type(c_ptr), intent(in), value :: options
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_inspect
    function kiln_partial_new(partial, &
      & function, &
      & inputs, &
      & nin, &
      & global_offset, &
      & global_size, &
      & options, &
      & error) bind(c, name="kiln_partial_new") result(result_)
      import
      type(c_ptr), intent(inout) :: partial
      type(c_ptr), intent(in), value :: function
      type(c_ptr), intent(in), value :: inputs
      integer(c_size_t), intent(in), value :: nin
      integer(c_int64_t), intent(in), value :: global_offset
      integer(c_int64_t), intent(in), value :: global_size
      type(c_ptr), intent(in), value :: options
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_partial_new
    function kiln_partial_combine(partial, &
      & first, &
      & next, &
      & error) bind(c, name="kiln_partial_combine") result(result_)
      import
      type(c_ptr), intent(inout) :: partial
      type(c_ptr), intent(in), value :: first
      type(c_ptr), intent(in), value :: next
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_partial_combine
    function kiln_partial_finish(results, &
      & nout, &
      & partial, &
      & options, &
      & error) bind(c, name="kiln_partial_finish") result(result_)
      import
      type(c_ptr), intent(inout) :: results
      integer(c_size_t), intent(in), value :: nout
      type(c_ptr), intent(in), value :: partial
      type(c_ptr), intent(in), value :: options
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_partial_finish
    function kiln_partial_accumulate(result, &
      & function, &
      & input, &
      & before, &
      & global_offset, &
      & global_size, &
      & options, &
      & error) bind(c, name="kiln_partial_accumulate") result(result_)
      import
      type(c_ptr), intent(inout) :: result
      type(c_ptr), intent(in), value :: function
      type(c_ptr), intent(in), value :: input
      type(c_ptr), intent(in), value :: before
      integer(c_int64_t), intent(in), value :: global_offset
      integer(c_int64_t), intent(in), value :: global_size
      type(c_ptr), intent(in), value :: options
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_partial_accumulate
    function kiln_partial_range(range, &
      & partial, &
      & error) bind(c, name="kiln_partial_range") result(result_)
      import
      integer(c_int64_t), intent(inout) :: range
      type(c_ptr), intent(in), value :: partial
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_partial_range
    function kiln_partial_bytes(bytes, &
      & partial, &
      & error) bind(c, name="kiln_partial_bytes") result(result_)
      import
      type(c_ptr), intent(inout) :: bytes
      type(c_ptr), intent(in), value :: partial
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_partial_bytes
    function kiln_partial_read(partial, &
      & function, &
      & bytes, &
      & length, &
      & error) bind(c, name="kiln_partial_read") result(result_)
      import
      type(c_ptr), intent(inout) :: partial
      type(c_ptr), intent(in), value :: function
      character(kind=c_char), intent(in) :: bytes(*)
      integer(c_size_t), intent(in), value :: length
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_partial_read
    subroutine kiln_partial_release(partial) bind(c, name="kiln_partial_release")
      import
      type(c_ptr), intent(in), value :: partial
    end subroutine kiln_partial_release
    function kiln_statistic(result, &
      & name, &
      & length, &
      & input, &
      & ddof, &
      & options, &
      & error) bind(c, name="kiln_statistic") result(result_)
      import
      type(c_ptr), intent(inout) :: result
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), intent(in), value :: length
      type(c_ptr), intent(in), value :: input
      real(c_double), intent(in), value :: ddof
      type(c_ptr), intent(in), value :: options
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_statistic
    function kiln_graph_begin(stream, &
      & error) bind(c, name="kiln_graph_begin") result(result_)
      import
      type(c_ptr), intent(in), value :: stream
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_graph_begin
    function kiln_graph_end(graph, &
      & error) bind(c, name="kiln_graph_end") result(result_)
      import
      type(c_ptr), intent(inout) :: graph
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_graph_end
    function kiln_graph_launch(graph, &
      & stream, &
      & error) bind(c, name="kiln_graph_launch") result(result_)
      import
      type(c_ptr), intent(in), value :: graph
      type(c_ptr), intent(in), value :: stream
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_graph_launch
    function kiln_graph_exchange(graph, &
      & count, &
      & old_arrays, &
      & new_arrays, &
      & error) bind(c, name="kiln_graph_exchange") result(result_)
      import
      type(c_ptr), intent(in), value :: graph
      integer(c_size_t), intent(in), value :: count
      type(c_ptr), intent(in), value :: old_arrays
      type(c_ptr), intent(in), value :: new_arrays
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_graph_exchange
    subroutine kiln_graph_release(graph) bind(c, name="kiln_graph_release")
      import
      type(c_ptr), intent(in), value :: graph
    end subroutine kiln_graph_release
    function kiln_cache_open(cache, &
      & options, &
      & error) bind(c, name="kiln_cache_open") result(result_)
      import
      type(c_ptr), intent(inout) :: cache
      character(kind=c_char), intent(in) :: options(*)
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_cache_open
    function kiln_cache_statistics(cache, &
      & stats, &
      & error) bind(c, name="kiln_cache_statistics") result(result_)
      import
      type(c_ptr), intent(in), value :: cache
      type(kiln_cache_stats), intent(inout) :: stats
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_cache_statistics
    function kiln_cache_export(bundle, &
      & cache, &
      & ids, &
      & count, &
      & error) bind(c, name="kiln_cache_export") result(result_)
      import
      type(c_ptr), intent(inout) :: bundle
      type(c_ptr), intent(in), value :: cache
      type(c_ptr), intent(in), value :: ids
      integer(c_size_t), intent(in), value :: count
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_cache_export
    function kiln_cache_import(cache, &
      & bundle, &
      & length, &
      & error) bind(c, name="kiln_cache_import") result(result_)
      import
      type(c_ptr), intent(in), value :: cache
      type(c_ptr), intent(in), value :: bundle
      integer(c_size_t), intent(in), value :: length
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_cache_import
    subroutine kiln_cache_release(cache) bind(c, name="kiln_cache_release")
      import
      type(c_ptr), intent(in), value :: cache
    end subroutine kiln_cache_release
    function kiln_manifest_compile(report, &
      & manifest, &
      & length, &
      & target, &
      & cache, &
      & error) bind(c, name="kiln_manifest_compile") result(result_)
      import
      type(c_ptr), intent(inout) :: report
      character(kind=c_char), intent(in) :: manifest(*)
      integer(c_size_t), intent(in), value :: length
      character(kind=c_char), intent(in) :: target(*)
      type(c_ptr), intent(in), value :: cache
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_manifest_compile
    function kiln_warming_new(warming, &
      & rank, &
      & size, &
      & manifest, &
      & length, &
      & options, &
      & cache, &
      & error) bind(c, name="kiln_warming_new") result(result_)
      import
      type(c_ptr), intent(inout) :: warming
      integer(c_int32_t), intent(in), value :: rank
      integer(c_int32_t), intent(in), value :: size
      character(kind=c_char), intent(in) :: manifest(*)
      integer(c_size_t), intent(in), value :: length
      character(kind=c_char), intent(in) :: options(*)
      type(c_ptr), intent(in), value :: cache
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_warming_new
    function kiln_warming_message(message, &
      & warming, &
      & error) bind(c, name="kiln_warming_message") result(result_)
      import
      type(c_ptr), intent(inout) :: message
      type(c_ptr), intent(in), value :: warming
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_warming_message
    function kiln_warming_receive(warming, &
      & messages, &
      & lengths, &
      & count, &
      & error) bind(c, name="kiln_warming_receive") result(result_)
      import
      type(c_ptr), intent(in), value :: warming
      type(c_ptr), intent(in), value :: messages
      type(c_ptr), intent(in), value :: lengths
      integer(c_size_t), intent(in), value :: count
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_warming_receive
    function kiln_warming_report(json, &
      & warming, &
      & error) bind(c, name="kiln_warming_report") result(result_)
      import
      type(c_ptr), intent(inout) :: json
      type(c_ptr), intent(in), value :: warming
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_warming_report
    subroutine kiln_warming_release(warming) bind(c, name="kiln_warming_release")
      import
      type(c_ptr), intent(in), value :: warming
    end subroutine kiln_warming_release
    function kiln_command(reply, &
      & request, &
      & length, &
      & cache, &
      & error) bind(c, name="kiln_command") result(result_)
      import
      type(c_ptr), intent(inout) :: reply
      character(kind=c_char), intent(in) :: request(*)
      integer(c_size_t), intent(in), value :: length
      type(c_ptr), intent(in), value :: cache
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_command
    subroutine kiln_set_log(log, &
      & user) bind(c, name="kiln_set_log")
      import
      type(c_funptr), intent(in), value :: log
      type(c_ptr), intent(in), value :: user
    end subroutine kiln_set_log
    subroutine kiln_set_print(print, &
      & user) bind(c, name="kiln_set_print")
      import
      type(c_funptr), intent(in), value :: print
      type(c_ptr), intent(in), value :: user
    end subroutine kiln_set_print
    function kiln_set_allocator(device, &
      & allocator, &
      & error) bind(c, name="kiln_set_allocator") result(result_)
      import
      type(kiln_device), intent(in), value :: device
      type(c_ptr), intent(in), value :: allocator
      type(c_ptr), intent(inout) :: error
      integer(c_int32_t) :: result_
    end function kiln_set_allocator
  end interface

contains

  !> The characters of a C string; empty for a null pointer.
  function kiln_string(text) result(string)
    type(c_ptr), intent(in), value :: text
    character(:), allocatable :: string
    character(kind=c_char), pointer :: characters(:)
    integer(c_size_t) :: length, i
    interface
      pure function kiln_strlen(text) bind(c, name="strlen") result(length)
        import :: c_ptr, c_size_t
        type(c_ptr), intent(in), value :: text
        integer(c_size_t) :: length
      end function kiln_strlen
    end interface
    if (.not. c_associated(text)) then
      string = ""
      return
    end if
    length = kiln_strlen(text)
    call c_f_pointer(text, characters, [length])
    allocate(character(length) :: string)
    do i = 1, length
      string(i:i) = characters(i)
    end do
  end function kiln_string

  !> The message of an error, which is released.
  function kiln_take_message(error) result(message)
    type(c_ptr), intent(inout) :: error
    character(:), allocatable :: message
    message = kiln_string(kiln_error_message(error))
    call kiln_error_release(error)
    error = c_null_ptr
  end function kiln_take_message

  !> A scalar operand.
  function kiln_real64(x) result(arg)
    real(c_double), intent(in) :: x
    type(kiln_arg) :: arg
    arg%kind = KILN_SCALAR
    arg%dtype = kiln_dtype(int(KILN_FLOAT, c_int8_t), 64_c_int8_t, 1_c_int16_t)
    arg%value = transfer(x, arg%value)
  end function kiln_real64

  !> An operand in memory that `info` describes, which must live until the call returns.
  function kiln_memory_arg(info) result(arg)
    type(kiln_array_info), intent(in), target :: info
    type(kiln_arg) :: arg
    arg%kind = KILN_MEMORY
    arg%value = transfer(c_loc(info), arg%value)
  end function kiln_memory_arg
end module kiln
