"""The C interface of kiln for ctypes. Made by scripts/c_interface.py of kiln.yml. Do not edit.

`lib = bind(ctypes.CDLL("libkiln.so"))` gives the functions their types. Handles are c_void_p.
"""
from ctypes import (CFUNCTYPE, POINTER, Structure, Union, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32,
                    c_uint64, c_void_p, sizeof)

KILN_NUL = KILN_ALL_AXES = c_size_t(-1).value
KILN_OK = 0
KILN_E_SIGNATURE = 1
KILN_E_SHAPE = 2
KILN_E_TYPE = 3
KILN_E_STOPPED = 4
KILN_E_DEVICE = 5
KILN_E_CACHE = 6
KILN_E_IO = 7
KILN_E_COMPILE = 8
KILN_E_ARGUMENT = 9
KILN_E_MEMORY = 10
KILN_E_INTERNAL = 11
KILN_E_RANK = 12
KILN_CPU = 1
KILN_CUDA = 2
KILN_CUDA_HOST = 3
KILN_ROCM = 10
KILN_ROCM_HOST = 11
KILN_EMULATED = 1200
KILN_INT = 0
KILN_UINT = 1
KILN_FLOAT = 2
KILN_BFLOAT = 4
KILN_COMPLEX = 5
KILN_BOOL = 6
KILN_NONE = 0
KILN_ARRAY = 1
KILN_DLTENSOR = 2
KILN_SCALAR = 3
KILN_SCALAR_AT = 4
KILN_MEMORY = 5
KILN_CALL = 0
KILN_OUTER = 1
KILN_REDUCE = 2
KILN_ACCUMULATE = 3
KILN_REDUCEAT = 4
KILN_AT = 5
KILN_SAME_KIND = 0
KILN_NO = 1
KILN_EQUIV = 2
KILN_SAFE = 3
KILN_UNSAFE = 4
KILN_UFUNC = 1
KILN_GUFUNC = 2
KILN_REDUCTION = 3
KILN_KERNEL = 4
KILN_TRANSFORM = 5
KILN_NORM_BACKWARD = 0
KILN_NORM_ORTHO = 1
KILN_NORM_FORWARD = 2


class kiln_device(Structure):
    _fields_ = [("type", c_int32),
                ("index", c_int32)]


class kiln_dtype(Structure):
    _fields_ = [("code", c_uint8),
                ("bits", c_uint8),
                ("lanes", c_uint16)]


class kiln_progress(Structure):
    _fields_ = [("struct_size", c_size_t),
                ("chunks_done", c_int64),
                ("chunks", c_int64),
                ("bytes_done", c_int64),
                ("bytes", c_int64),
                ("seconds", c_double)]

    def __init__(self, **members):
        super().__init__(struct_size=sizeof(kiln_progress), **members)


class kiln_function_info(Structure):
    _fields_ = [("struct_size", c_size_t),
                ("kind", c_uint32),
                ("nin", c_int32),
                ("nout", c_int32),
                ("reorderable", c_uint32),
                ("name", c_char_p),
                ("layout", c_char_p),
                ("identity", c_char_p)]

    def __init__(self, **members):
        super().__init__(struct_size=sizeof(kiln_function_info), **members)


class kiln_fuse_step(Structure):
    _fields_ = [("function", c_void_p),
                ("inputs", POINTER(c_uint32)),
                ("count", c_size_t)]


class kiln_cache_stats(Structure):
    _fields_ = [("struct_size", c_size_t),
                ("memory_hits", c_uint64),
                ("disk_hits", c_uint64),
                ("read_only_hits", c_uint64),
                ("compiles", c_uint64),
                ("failures", c_uint64),
                ("bytes_read", c_uint64),
                ("bytes_written", c_uint64),
                ("memory_bytes", c_uint64),
                ("compile_ms", c_double),
                ("saved_ms", c_double)]

    def __init__(self, **members):
        super().__init__(struct_size=sizeof(kiln_cache_stats), **members)

kiln_release_callback = CFUNCTYPE(None, c_void_p)


class kiln_array_info(Structure):
    _fields_ = [("struct_size", c_size_t),
                ("data", c_void_p),
                ("device", kiln_device),
                ("dtype", kiln_dtype),
                ("ndim", c_int32),
                ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)),
                ("read_only", c_uint32),
                ("reserved", c_uint32),
                ("release", kiln_release_callback),
                ("owner", c_void_p)]

    def __init__(self, **members):
        super().__init__(struct_size=sizeof(kiln_array_info), **members)


class kiln_arg_value(Union):
    _fields_ = [("array", c_void_p), ("tensor", c_void_p), ("memory", POINTER(kiln_array_info)), ("i", c_int64), ("u", c_uint64), ("f", c_double), ("c", c_float * 2), ("at", c_void_p)]


class kiln_arg(Structure):
    _fields_ = [("kind", c_uint32),
                ("dtype", kiln_dtype),
                ("value", kiln_arg_value),
                ("ready", c_void_p)]

kiln_progress_callback = CFUNCTYPE(c_int32, POINTER(kiln_progress), c_void_p)


class kiln_call_options(Structure):
    _fields_ = [("struct_size", c_size_t),
                ("stream", c_void_p),
                ("device", kiln_device),
                ("method", c_uint32),
                ("casting", c_uint32),
                ("where", kiln_arg),
                ("initial", kiln_arg),
                ("dtype", kiln_dtype),
                ("keepdims", c_uint32),
                ("axis", POINTER(c_int32)),
                ("axis_count", c_size_t),
                ("signature", c_char_p),
                ("signature_length", c_size_t),
                ("core_axes", POINTER(c_int32)),
                ("core_axes_counts", POINTER(c_size_t)),
                ("core_axes_operands", c_size_t),
                ("size", c_int64),
                ("has_size", c_uint32),
                ("chunked", c_uint32),
                ("grid", c_int64 * 3),
                ("block", c_int64 * 3),
                ("shared_bytes", c_int64),
                ("timeout_ns", c_int64),
                ("stop", c_void_p),
                ("chunk_bytes", c_int64),
                ("devices", POINTER(kiln_device)),
                ("devices_count", c_size_t),
                ("progress", kiln_progress_callback),
                ("progress_user", c_void_p),
                ("lengths", POINTER(c_int64)),
                ("lengths_count", c_size_t),
                ("norm", c_uint32),
                ("measure", c_uint32)]

    def __init__(self, **members):
        super().__init__(struct_size=sizeof(kiln_call_options), **members)

kiln_allocate_callback = CFUNCTYPE(c_void_p, kiln_device, c_size_t, c_void_p, c_void_p)

kiln_deallocate_callback = CFUNCTYPE(None, kiln_device, c_void_p, c_size_t, c_void_p, c_void_p)


class kiln_allocator(Structure):
    _fields_ = [("struct_size", c_size_t),
                ("allocate", kiln_allocate_callback),
                ("deallocate", kiln_deallocate_callback),
                ("user", c_void_p)]

    def __init__(self, **members):
        super().__init__(struct_size=sizeof(kiln_allocator), **members)

kiln_text_callback = CFUNCTYPE(None, c_char_p, c_size_t, c_void_p)


FUNCTIONS = {
    "kiln_version": (c_uint32, []),
    "kiln_status_name": (c_char_p, [c_int32]),
    "kiln_error_status": (c_int32, [c_void_p]),
    "kiln_error_message": (c_char_p, [c_void_p]),
    "kiln_error_get": (c_char_p, [c_void_p, c_char_p]),
    "kiln_error_release": (None, [c_void_p]),
    "kiln_text_data": (c_void_p, [c_void_p, POINTER(c_size_t)]),
    "kiln_text_release": (None, [c_void_p]),
    "kiln_device_parse": (c_int32, [POINTER(kiln_device), c_char_p, c_size_t, POINTER(c_void_p)]),
    "kiln_device_list": (c_int32, [POINTER(kiln_device), c_size_t, POINTER(c_size_t), POINTER(c_void_p)]),
    "kiln_device_info": (c_int32, [POINTER(c_void_p), kiln_device, POINTER(c_void_p)]),
    "kiln_device_default": (c_int32, [kiln_device, POINTER(c_void_p)]),
    "kiln_device_synchronize": (c_int32, [kiln_device, POINTER(c_void_p)]),
    "kiln_stream_new": (c_int32, [POINTER(c_void_p), kiln_device, c_int32, POINTER(c_void_p)]),
    "kiln_stream_wrap": (c_int32, [POINTER(c_void_p), kiln_device, c_void_p, POINTER(c_void_p)]),
    "kiln_stream_native": (c_void_p, [c_void_p]),
    "kiln_stream_synchronize": (c_int32, [c_void_p, POINTER(c_void_p)]),
    "kiln_stream_wait": (c_int32, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "kiln_stream_release": (None, [c_void_p]),
    "kiln_event_new": (c_int32, [POINTER(c_void_p), kiln_device, POINTER(c_void_p)]),
    "kiln_event_record": (c_int32, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "kiln_event_done": (c_int32, [POINTER(c_int32), c_void_p, POINTER(c_void_p)]),
    "kiln_event_synchronize": (c_int32, [c_void_p, POINTER(c_void_p)]),
    "kiln_event_wait_for": (c_int32, [POINTER(c_int32), c_void_p, c_int64, POINTER(c_void_p)]),
    "kiln_event_elapsed_ms": (c_int32, [POINTER(c_double), c_void_p, c_void_p, POINTER(c_void_p)]),
    "kiln_event_release": (None, [c_void_p]),
    "kiln_stop_new": (c_int32, [POINTER(c_void_p), POINTER(c_void_p)]),
    "kiln_stop_request": (None, [c_void_p]),
    "kiln_stop_release": (None, [c_void_p]),
    "kiln_array_new": (c_int32, [POINTER(c_void_p), kiln_device, kiln_dtype, c_int32, POINTER(c_int64), POINTER(c_void_p)]),
    "kiln_array_view": (c_int32, [POINTER(c_void_p), POINTER(kiln_array_info), POINTER(c_void_p)]),
    "kiln_array_describe": (c_int32, [c_void_p, POINTER(kiln_array_info), POINTER(c_void_p)]),
    "kiln_array_to": (c_int32, [POINTER(c_void_p), c_void_p, kiln_device, c_void_p, POINTER(c_void_p)]),
    "kiln_array_assign": (c_int32, [POINTER(kiln_arg), POINTER(kiln_arg), c_uint32, c_void_p, POINTER(c_void_p)]),
    "kiln_array_take": (c_int32, [POINTER(c_void_p), POINTER(kiln_arg), POINTER(kiln_arg), c_size_t, POINTER(c_void_p)]),
    "kiln_array_put": (c_int32, [POINTER(kiln_arg), POINTER(kiln_arg), c_size_t, POINTER(kiln_arg), POINTER(c_void_p)]),
    "kiln_array_save_png": (c_int32, [POINTER(kiln_arg), c_char_p, c_char_p, POINTER(c_double), POINTER(c_double), POINTER(c_void_p)]),
    "kiln_array_from_dlpack": (c_int32, [POINTER(c_void_p), c_void_p, c_int32, c_void_p, POINTER(c_void_p)]),
    "kiln_array_to_dlpack": (c_int32, [POINTER(c_void_p), c_void_p, c_int32, c_void_p, POINTER(c_void_p)]),
    "kiln_array_retain": (c_void_p, [c_void_p]),
    "kiln_array_release": (None, [c_void_p]),
    "kiln_registration_new": (c_int32, [POINTER(c_void_p), POINTER(kiln_arg), c_size_t, kiln_device, POINTER(c_void_p)]),
    "kiln_registration_release": (None, [c_void_p]),
    "kiln_function_parse": (c_int32, [POINTER(c_void_p), c_char_p, c_size_t, POINTER(c_void_p)]),
    "kiln_function_define": (c_int32, [POINTER(c_void_p), c_char_p, c_size_t, c_void_p, POINTER(c_void_p)]),
    "kiln_function_math": (c_int32, [POINTER(c_void_p), c_char_p, c_size_t, POINTER(c_void_p)]),
    "kiln_function_fuse": (c_int32, [POINTER(c_void_p), c_char_p, c_size_t, c_size_t, POINTER(kiln_fuse_step), c_size_t, POINTER(c_uint32), c_size_t, POINTER(c_void_p)]),
    "kiln_function_describe": (c_int32, [c_void_p, POINTER(kiln_function_info), POINTER(c_void_p)]),
    "kiln_function_get": (c_int32, [POINTER(c_void_p), c_void_p, c_char_p, POINTER(c_void_p)]),
    "kiln_function_compile": (c_int32, [POINTER(c_int64), c_void_p, c_char_p, POINTER(c_void_p)]),
    "kiln_function_set_constant": (c_int32, [c_void_p, c_char_p, c_size_t, POINTER(kiln_arg), POINTER(c_void_p)]),
    "kiln_function_device_code": (c_int32, [POINTER(c_void_p), c_void_p, c_char_p, c_char_p, POINTER(c_void_p)]),
    "kiln_function_retain": (c_void_p, [c_void_p]),
    "kiln_function_release": (None, [c_void_p]),
    "kiln_call": (c_int32, [c_void_p, POINTER(kiln_arg), c_size_t, POINTER(kiln_arg), c_size_t, POINTER(kiln_call_options), POINTER(c_void_p)]),
    "kiln_resolve": (c_int32, [POINTER(c_void_p), c_void_p, POINTER(kiln_arg), c_size_t, POINTER(kiln_arg), c_size_t, POINTER(kiln_call_options), POINTER(c_void_p)]),
    "kiln_inspect": (c_int32, [POINTER(c_void_p), c_char_p, c_void_p, POINTER(kiln_arg), c_size_t, POINTER(kiln_arg), c_size_t, POINTER(kiln_call_options), POINTER(c_void_p)]),
    "kiln_partial_new": (c_int32, [POINTER(c_void_p), c_void_p, POINTER(kiln_arg), c_size_t, c_int64, c_int64, POINTER(kiln_call_options), POINTER(c_void_p)]),
    "kiln_partial_combine": (c_int32, [POINTER(c_void_p), c_void_p, c_void_p, POINTER(c_void_p)]),
    "kiln_partial_finish": (c_int32, [POINTER(c_void_p), c_size_t, c_void_p, POINTER(kiln_call_options), POINTER(c_void_p)]),
    "kiln_partial_accumulate": (c_int32, [POINTER(c_void_p), c_void_p, POINTER(kiln_arg), c_void_p, c_int64, c_int64, POINTER(kiln_call_options), POINTER(c_void_p)]),
    "kiln_partial_range": (c_int32, [POINTER(c_int64), c_void_p, POINTER(c_void_p)]),
    "kiln_partial_bytes": (c_int32, [POINTER(c_void_p), c_void_p, POINTER(c_void_p)]),
    "kiln_partial_read": (c_int32, [POINTER(c_void_p), c_void_p, c_char_p, c_size_t, POINTER(c_void_p)]),
    "kiln_partial_release": (None, [c_void_p]),
    "kiln_statistic": (c_int32, [POINTER(c_void_p), c_char_p, c_size_t, POINTER(kiln_arg), c_double, POINTER(kiln_call_options), POINTER(c_void_p)]),
    "kiln_graph_begin": (c_int32, [c_void_p, POINTER(c_void_p)]),
    "kiln_graph_end": (c_int32, [POINTER(c_void_p), POINTER(c_void_p)]),
    "kiln_graph_launch": (c_int32, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "kiln_graph_exchange": (c_int32, [c_void_p, c_size_t, POINTER(c_void_p), POINTER(c_void_p), POINTER(c_void_p)]),
    "kiln_graph_release": (None, [c_void_p]),
    "kiln_cache_open": (c_int32, [POINTER(c_void_p), c_char_p, POINTER(c_void_p)]),
    "kiln_cache_statistics": (c_int32, [c_void_p, POINTER(kiln_cache_stats), POINTER(c_void_p)]),
    "kiln_cache_export": (c_int32, [POINTER(c_void_p), c_void_p, POINTER(c_void_p), c_size_t, POINTER(c_void_p)]),
    "kiln_cache_import": (c_int32, [c_void_p, c_void_p, c_size_t, POINTER(c_void_p)]),
    "kiln_cache_release": (None, [c_void_p]),
    "kiln_manifest_compile": (c_int32, [POINTER(c_void_p), c_char_p, c_size_t, c_char_p, c_void_p, POINTER(c_void_p)]),
    "kiln_warming_new": (c_int32, [POINTER(c_void_p), c_int32, c_int32, c_char_p, c_size_t, c_char_p, c_void_p, POINTER(c_void_p)]),
    "kiln_warming_message": (c_int32, [POINTER(c_void_p), c_void_p, POINTER(c_void_p)]),
    "kiln_warming_receive": (c_int32, [c_void_p, POINTER(c_void_p), POINTER(c_size_t), c_size_t, POINTER(c_void_p)]),
    "kiln_warming_report": (c_int32, [POINTER(c_void_p), c_void_p, POINTER(c_void_p)]),
    "kiln_warming_release": (None, [c_void_p]),
    "kiln_command": (c_int32, [POINTER(c_void_p), c_char_p, c_size_t, c_void_p, POINTER(c_void_p)]),
    "kiln_set_log": (None, [kiln_text_callback, c_void_p]),
    "kiln_set_print": (None, [kiln_text_callback, c_void_p]),
    "kiln_set_allocator": (c_int32, [kiln_device, POINTER(kiln_allocator), POINTER(c_void_p)]),
}


def bind(library):
    """Gives the functions of a loaded libkiln.so their types, and returns it."""
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
