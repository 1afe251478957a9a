// The C interface of kiln for Rust. Made by scripts/c_interface.py of kiln.yml. Do not edit.
// A program includes it: #[allow(non_camel_case_types, dead_code)] mod kiln { include!("kiln.rs"); }
use std::os::raw::{c_char, c_void};

pub const KILN_NUL: usize = usize::MAX;
pub const KILN_ALL_AXES: usize = usize::MAX;
pub type kiln_status = i32;
pub const KILN_OK: i32 = 0;
pub const KILN_E_SIGNATURE: i32 = 1;
pub const KILN_E_SHAPE: i32 = 2;
pub const KILN_E_TYPE: i32 = 3;
pub const KILN_E_STOPPED: i32 = 4;
pub const KILN_E_DEVICE: i32 = 5;
pub const KILN_E_CACHE: i32 = 6;
pub const KILN_E_IO: i32 = 7;
pub const KILN_E_COMPILE: i32 = 8;
pub const KILN_E_ARGUMENT: i32 = 9;
pub const KILN_E_MEMORY: i32 = 10;
pub const KILN_E_INTERNAL: i32 = 11;
pub const KILN_E_RANK: i32 = 12;
pub const KILN_CPU: i32 = 1;
pub const KILN_CUDA: i32 = 2;
pub const KILN_CUDA_HOST: i32 = 3;
pub const KILN_ROCM: i32 = 10;
pub const KILN_ROCM_HOST: i32 = 11;
pub const KILN_EMULATED: i32 = 1200;
pub const KILN_INT: u8 = 0;
pub const KILN_UINT: u8 = 1;
pub const KILN_FLOAT: u8 = 2;
pub const KILN_BFLOAT: u8 = 4;
pub const KILN_COMPLEX: u8 = 5;
pub const KILN_BOOL: u8 = 6;
pub const KILN_NONE: u32 = 0;
pub const KILN_ARRAY: u32 = 1;
pub const KILN_DLTENSOR: u32 = 2;
pub const KILN_SCALAR: u32 = 3;
pub const KILN_SCALAR_AT: u32 = 4;
pub const KILN_MEMORY: u32 = 5;
pub const KILN_CALL: u32 = 0;
pub const KILN_OUTER: u32 = 1;
pub const KILN_REDUCE: u32 = 2;
pub const KILN_ACCUMULATE: u32 = 3;
pub const KILN_REDUCEAT: u32 = 4;
pub const KILN_AT: u32 = 5;
pub const KILN_SAME_KIND: u32 = 0;
pub const KILN_NO: u32 = 1;
pub const KILN_EQUIV: u32 = 2;
pub const KILN_SAFE: u32 = 3;
pub const KILN_UNSAFE: u32 = 4;
pub const KILN_UFUNC: u32 = 1;
pub const KILN_GUFUNC: u32 = 2;
pub const KILN_REDUCTION: u32 = 3;
pub const KILN_KERNEL: u32 = 4;
pub const KILN_TRANSFORM: u32 = 5;
pub const KILN_NORM_BACKWARD: u32 = 0;
pub const KILN_NORM_ORTHO: u32 = 1;
pub const KILN_NORM_FORWARD: u32 = 2;
#[repr(C)]
pub struct kiln_error {
    _opaque: [u8; 0],
}
#[repr(C)]
pub struct kiln_text {
    _opaque: [u8; 0],
}
#[repr(C)]
pub struct kiln_array {
    _opaque: [u8; 0],
}
#[repr(C)]
pub struct kiln_stream {
    _opaque: [u8; 0],
}
#[repr(C)]
pub struct kiln_event {
    _opaque: [u8; 0],
}
#[repr(C)]
pub struct kiln_stop {
    _opaque: [u8; 0],
}
#[repr(C)]
pub struct kiln_function {
    _opaque: [u8; 0],
}
#[repr(C)]
pub struct kiln_graph {
    _opaque: [u8; 0],
}
#[repr(C)]
pub struct kiln_cache {
    _opaque: [u8; 0],
}
#[repr(C)]
pub struct kiln_registration {
    _opaque: [u8; 0],
}
#[repr(C)]
pub struct kiln_warming {
    _opaque: [u8; 0],
}
#[repr(C)]
pub struct kiln_partial {
    _opaque: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct kiln_device {
    pub type_: i32,
    pub index: i32,
}
impl Default for kiln_device {
    fn default() -> Self {
        let value: kiln_device = unsafe { std::mem::zeroed() };
        value
    }
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct kiln_dtype {
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
}
impl Default for kiln_dtype {
    fn default() -> Self {
        let value: kiln_dtype = unsafe { std::mem::zeroed() };
        value
    }
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct kiln_progress {
    pub struct_size: usize,
    pub chunks_done: i64,
    pub chunks: i64,
    pub bytes_done: i64,
    pub bytes: i64,
    pub seconds: f64,
}
impl Default for kiln_progress {
    fn default() -> Self {
        let mut value: kiln_progress = unsafe { std::mem::zeroed() };
        value.struct_size = std::mem::size_of::<kiln_progress>();
        value
    }
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct kiln_function_info {
    pub struct_size: usize,
    pub kind: u32,
    pub nin: i32,
    pub nout: i32,
    pub reorderable: u32,
    pub name: *const c_char,
    pub layout: *const c_char,
    pub identity: *const c_char,
}
impl Default for kiln_function_info {
    fn default() -> Self {
        let mut value: kiln_function_info = unsafe { std::mem::zeroed() };
        value.struct_size = std::mem::size_of::<kiln_function_info>();
        value
    }
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct kiln_fuse_step {
    pub function: *const kiln_function,
    pub inputs: *const u32,
    pub count: usize,
}
impl Default for kiln_fuse_step {
    fn default() -> Self {
        let value: kiln_fuse_step = unsafe { std::mem::zeroed() };
        value
    }
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct kiln_cache_stats {
    pub struct_size: usize,
    pub memory_hits: u64,
    pub disk_hits: u64,
    pub read_only_hits: u64,
    pub compiles: u64,
    pub failures: u64,
    pub bytes_read: u64,
    pub bytes_written: u64,
    pub memory_bytes: u64,
    pub compile_ms: f64,
    pub saved_ms: f64,
}
impl Default for kiln_cache_stats {
    fn default() -> Self {
        let mut value: kiln_cache_stats = unsafe { std::mem::zeroed() };
        value.struct_size = std::mem::size_of::<kiln_cache_stats>();
        value
    }
}
pub type kiln_release_callback = Option<unsafe extern "C" fn(owner: *mut c_void)>;
#[repr(C)]
#[derive(Clone, Copy)]
pub struct kiln_array_info {
    pub struct_size: usize,
    pub data: *mut c_void,
    pub device: kiln_device,
    pub dtype: kiln_dtype,
    pub ndim: i32,
    pub shape: *const i64,
    pub strides: *const i64,
    pub read_only: u32,
    pub reserved: u32,
    pub release: kiln_release_callback,
    pub owner: *mut c_void,
}
impl Default for kiln_array_info {
    fn default() -> Self {
        let mut value: kiln_array_info = unsafe { std::mem::zeroed() };
        value.struct_size = std::mem::size_of::<kiln_array_info>();
        value
    }
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union kiln_arg_value {
    pub array: *const kiln_array,
    pub tensor: *const c_void,
    pub memory: *const kiln_array_info,
    pub i: i64,
    pub u: u64,
    pub f: f64,
    pub c: [f32; 2],
    pub at: *const c_void,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct kiln_arg {
    pub kind: u32,
    pub dtype: kiln_dtype,
    pub value: kiln_arg_value,
    pub ready: *const kiln_stream,
}
impl Default for kiln_arg {
    fn default() -> Self {
        let value: kiln_arg = unsafe { std::mem::zeroed() };
        value
    }
}
pub type kiln_progress_callback = Option<unsafe extern "C" fn(progress: *const kiln_progress, user: *mut c_void) -> i32>;
#[repr(C)]
#[derive(Clone, Copy)]
pub struct kiln_call_options {
    pub struct_size: usize,
    pub stream: *const kiln_stream,
    pub device: kiln_device,
    pub method: u32,
    pub casting: u32,
    pub where_: kiln_arg,
    pub initial: kiln_arg,
    pub dtype: kiln_dtype,
    pub keepdims: u32,
    pub axis: *const i32,
    pub axis_count: usize,
    pub signature: *const c_char,
    pub signature_length: usize,
    pub core_axes: *const i32,
    pub core_axes_counts: *const usize,
    pub core_axes_operands: usize,
    pub size: i64,
    pub has_size: u32,
    pub chunked: u32,
    pub grid: [i64; 3],
    pub block: [i64; 3],
    pub shared_bytes: i64,
    pub timeout_ns: i64,
    pub stop: *const kiln_stop,
    pub chunk_bytes: i64,
    pub devices: *const kiln_device,
    pub devices_count: usize,
    pub progress: kiln_progress_callback,
    pub progress_user: *mut c_void,
    pub lengths: *const i64,
    pub lengths_count: usize,
    pub norm: u32,
    pub measure: u32,
}
impl Default for kiln_call_options {
    fn default() -> Self {
        let mut value: kiln_call_options = unsafe { std::mem::zeroed() };
        value.struct_size = std::mem::size_of::<kiln_call_options>();
        value
    }
}
pub type kiln_allocate_callback = Option<unsafe extern "C" fn(device: kiln_device, bytes: usize, stream: *mut c_void, user: *mut c_void) -> *mut c_void>;
pub type kiln_deallocate_callback = Option<unsafe extern "C" fn(device: kiln_device, memory: *mut c_void, bytes: usize, stream: *mut c_void, user: *mut c_void)>;
#[repr(C)]
#[derive(Clone, Copy)]
pub struct kiln_allocator {
    pub struct_size: usize,
    pub allocate: kiln_allocate_callback,
    pub deallocate: kiln_deallocate_callback,
    pub user: *mut c_void,
}
impl Default for kiln_allocator {
    fn default() -> Self {
        let mut value: kiln_allocator = unsafe { std::mem::zeroed() };
        value.struct_size = std::mem::size_of::<kiln_allocator>();
        value
    }
}
pub type kiln_text_callback = Option<unsafe extern "C" fn(text: *const c_char, length: usize, user: *mut c_void)>;
extern "C" {
    pub fn kiln_version() -> u32;
    pub fn kiln_status_name(status: i32) -> *const c_char;
    pub fn kiln_error_status(error: *const kiln_error) -> i32;
    pub fn kiln_error_message(error: *const kiln_error) -> *const c_char;
    pub fn kiln_error_get(error: *const kiln_error, key: *const c_char) -> *const c_char;
    pub fn kiln_error_release(error: *mut kiln_error);
    pub fn kiln_text_data(text: *const kiln_text, length: *mut usize) -> *const c_char;
    pub fn kiln_text_release(text: *mut kiln_text);
    pub fn kiln_device_parse(device: *mut kiln_device, text: *const c_char, length: usize, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_device_list(devices: *mut kiln_device, capacity: usize, count: *mut usize, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_device_info(json: *mut *mut kiln_text, device: kiln_device, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_device_default(device: kiln_device, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_device_synchronize(device: kiln_device, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_stream_new(stream: *mut *mut kiln_stream, device: kiln_device, priority: i32, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_stream_wrap(stream: *mut *mut kiln_stream, device: kiln_device, native: *mut c_void, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_stream_native(stream: *const kiln_stream) -> *mut c_void;
    pub fn kiln_stream_synchronize(stream: *const kiln_stream, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_stream_wait(stream: *const kiln_stream, event: *const kiln_event, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_stream_release(stream: *mut kiln_stream);
    pub fn kiln_event_new(event: *mut *mut kiln_event, device: kiln_device, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_event_record(event: *mut kiln_event, stream: *const kiln_stream, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_event_done(done: *mut i32, event: *const kiln_event, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_event_synchronize(event: *const kiln_event, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_event_wait_for(done: *mut i32, event: *const kiln_event, timeout_ns: i64, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_event_elapsed_ms(ms: *mut f64, start: *const kiln_event, end: *const kiln_event, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_event_release(event: *mut kiln_event);
    pub fn kiln_stop_new(stop: *mut *mut kiln_stop, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_stop_request(stop: *mut kiln_stop);
    pub fn kiln_stop_release(stop: *mut kiln_stop);
    pub fn kiln_array_new(array: *mut *mut kiln_array, device: kiln_device, dtype: kiln_dtype, ndim: i32, shape: *const i64, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_array_view(array: *mut *mut kiln_array, info: *const kiln_array_info, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_array_describe(array: *const kiln_array, info: *mut kiln_array_info, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_array_to(copy: *mut *mut kiln_array, array: *const kiln_array, device: kiln_device, stream: *const kiln_stream, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_array_assign(to: *const kiln_arg, from: *const kiln_arg, casting: u32, stream: *const kiln_stream, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_array_take(copy: *mut *mut kiln_array, array: *const kiln_arg, indices: *const kiln_arg, count: usize, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_array_put(array: *const kiln_arg, indices: *const kiln_arg, count: usize, values: *const kiln_arg, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_array_save_png(array: *const kiln_arg, path: *const c_char, colormap: *const c_char, low: *const f64, high: *const f64, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_array_from_dlpack(array: *mut *mut kiln_array, managed: *mut c_void, versioned: i32, producer: *const kiln_stream, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_array_to_dlpack(managed: *mut *mut c_void, array: *const kiln_array, versioned: i32, consumer: *const kiln_stream, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_array_retain(array: *const kiln_array) -> *mut kiln_array;
    pub fn kiln_array_release(array: *mut kiln_array);
    pub fn kiln_registration_new(registration: *mut *mut kiln_registration, arrays: *const kiln_arg, count: usize, device: kiln_device, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_registration_release(registration: *mut kiln_registration);
    pub fn kiln_function_parse(function: *mut *mut kiln_function, text: *const c_char, length: usize, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_function_define(function: *mut *mut kiln_function, json: *const c_char, length: usize, cache: *const kiln_cache, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_function_math(function: *mut *mut kiln_function, name: *const c_char, length: usize, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_function_fuse(function: *mut *mut kiln_function, name: *const c_char, length: usize, inputs: usize, steps: *const kiln_fuse_step, count: usize, outputs: *const u32, outputs_count: usize, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_function_describe(function: *const kiln_function, info: *mut kiln_function_info, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_function_get(text: *mut *mut kiln_text, function: *const kiln_function, key: *const c_char, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_function_compile(kernels: *mut i64, function: *const kiln_function, target: *const c_char, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_function_set_constant(function: *const kiln_function, name: *const c_char, length: usize, values: *const kiln_arg, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_function_device_code(code: *mut *mut kiln_text, function: *const kiln_function, target: *const c_char, options: *const c_char, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_function_retain(function: *const kiln_function) -> *mut kiln_function;
    pub fn kiln_function_release(function: *mut kiln_function);
    pub fn kiln_call(function: *const kiln_function, outputs: *mut kiln_arg, nout: usize, inputs: *const kiln_arg, nin: usize, options: *const kiln_call_options, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_resolve(json: *mut *mut kiln_text, function: *const kiln_function, outputs: *const kiln_arg, nout: usize, inputs: *const kiln_arg, nin: usize, options: *const kiln_call_options, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_inspect(text: *mut *mut kiln_text, form: *const c_char, function: *const kiln_function, outputs: *const kiln_arg, nout: usize, inputs: *const kiln_arg, nin: usize, options: *const kiln_call_options, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_partial_new(partial: *mut *mut kiln_partial, function: *const kiln_function, inputs: *const kiln_arg, nin: usize, global_offset: i64, global_size: i64, options: *const kiln_call_options, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_partial_combine(partial: *mut *mut kiln_partial, first: *const kiln_partial, next: *const kiln_partial, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_partial_finish(results: *mut *mut kiln_array, nout: usize, partial: *const kiln_partial, options: *const kiln_call_options, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_partial_accumulate(result: *mut *mut kiln_array, function: *const kiln_function, input: *const kiln_arg, before: *const kiln_partial, global_offset: i64, global_size: i64, options: *const kiln_call_options, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_partial_range(range: *mut i64, partial: *const kiln_partial, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_partial_bytes(bytes: *mut *mut kiln_text, partial: *const kiln_partial, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_partial_read(partial: *mut *mut kiln_partial, function: *const kiln_function, bytes: *const c_char, length: usize, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_partial_release(partial: *mut kiln_partial);
    pub fn kiln_statistic(result: *mut *mut kiln_array, name: *const c_char, length: usize, input: *const kiln_arg, ddof: f64, options: *const kiln_call_options, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_graph_begin(stream: *const kiln_stream, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_graph_end(graph: *mut *mut kiln_graph, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_graph_launch(graph: *mut kiln_graph, stream: *const kiln_stream, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_graph_exchange(graph: *mut kiln_graph, count: usize, old_arrays: *const *const kiln_array, new_arrays: *const *const kiln_array, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_graph_release(graph: *mut kiln_graph);
    pub fn kiln_cache_open(cache: *mut *mut kiln_cache, options: *const c_char, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_cache_statistics(cache: *const kiln_cache, stats: *mut kiln_cache_stats, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_cache_export(bundle: *mut *mut kiln_text, cache: *const kiln_cache, ids: *const *const c_char, count: usize, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_cache_import(cache: *const kiln_cache, bundle: *const c_void, length: usize, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_cache_release(cache: *mut kiln_cache);
    pub fn kiln_manifest_compile(report: *mut *mut kiln_text, manifest: *const c_char, length: usize, target: *const c_char, cache: *const kiln_cache, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_warming_new(warming: *mut *mut kiln_warming, rank: i32, size: i32, manifest: *const c_char, length: usize, options: *const c_char, cache: *const kiln_cache, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_warming_message(message: *mut *mut kiln_text, warming: *const kiln_warming, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_warming_receive(warming: *mut kiln_warming, messages: *const *const c_char, lengths: *const usize, count: usize, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_warming_report(json: *mut *mut kiln_text, warming: *const kiln_warming, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_warming_release(warming: *mut kiln_warming);
    pub fn kiln_command(reply: *mut *mut kiln_text, request: *const c_char, length: usize, cache: *const kiln_cache, error: *mut *mut kiln_error) -> i32;
    pub fn kiln_set_log(log: kiln_text_callback, user: *mut c_void);
    pub fn kiln_set_print(print: kiln_text_callback, user: *mut c_void);
    pub fn kiln_set_allocator(device: kiln_device, allocator: *const kiln_allocator, error: *mut *mut kiln_error) -> i32;
}
