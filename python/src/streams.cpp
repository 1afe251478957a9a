#include "streams.hpp"

#include "errors.hpp"
#include "interrupt.hpp"
#include "options.hpp"

namespace kiln::python {
namespace {

struct StreamObject {
  PyObject_HEAD kiln_stream* handle;
  kiln_device device;
};

struct EventObject {
  PyObject_HEAD kiln_event* handle;
};

PyTypeObject* stream_class = nullptr;
PyTypeObject* event_class = nullptr;

template <class T, class Release>
void free_object(PyObject* self, Release release) {
  release(reinterpret_cast<T*>(self)->handle);
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* stream_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"device", "priority", "native", nullptr};
  PyObject* device = Py_None;
  int priority = 0;
  PyObject* native = Py_None;
  if (PyArg_ParseTupleAndKeywords(args, keywords, "|OiO:Stream", const_cast<char**>(names), &device, &priority, &native) == 0)
    return nullptr;
  kiln_device where{0, 0};
  if (!convert_device(device == Py_None ? Ref(PyUnicode_FromString("best")).get() : device, where)) return nullptr;
  StreamHandle made;
  Error error;
  if (native != Py_None) {
    void* const pointer = PyLong_AsVoidPtr(native);
    if (pointer == nullptr && PyErr_Occurred() != nullptr) return nullptr;
    if (kiln_stream_wrap(made.out(), where, pointer, error.out()) != KILN_OK) return error.raise();
  } else if (kiln_stream_new(made.out(), where, priority, error.out()) != KILN_OK) {
    return error.raise();
  }
  auto* const self = reinterpret_cast<StreamObject*>(type->tp_alloc(type, 0));
  if (self == nullptr) return nullptr;
  self->handle = made.release();
  self->device = where;
  return reinterpret_cast<PyObject*>(self);
}

/// Queued work that the last handle waits for may give up references, which needs the GIL.
void release_stream(kiln_stream* stream) {
  const Unlocked unlocked;
  kiln_stream_release(stream);
}

void stream_free(PyObject* self) {
  free_object<StreamObject>(self, release_stream);
}

PyObject* stream_synchronize(PyObject* self, PyObject*) {
  const auto* const stream = reinterpret_cast<StreamObject*>(self);
  if (!wait_for_work(stream->device, stream->handle)) return nullptr;
  Error error;
  kiln_status status = KILN_OK;
  {
    const Unlocked unlocked;
    status = kiln_stream_synchronize(stream->handle, error.out());
  }
  if (status != KILN_OK) return error.raise();
  Py_RETURN_NONE;
}

PyObject* stream_wait(PyObject* self, PyObject* event) {
  if (Py_TYPE(event) != event_class) {
    PyErr_Format(PyExc_TypeError, "a kiln.Event is expected, and this is %s", Py_TYPE(event)->tp_name);
    return nullptr;
  }
  Error error;
  const kiln_status status = kiln_stream_wait(reinterpret_cast<StreamObject*>(self)->handle,
                                              reinterpret_cast<EventObject*>(event)->handle, error.out());
  if (status != KILN_OK) return error.raise();
  Py_RETURN_NONE;
}

PyObject* stream_native(PyObject* self, void*) {
  return PyLong_FromVoidPtr(kiln_stream_native(reinterpret_cast<StreamObject*>(self)->handle));
}

PyObject* stream_device(PyObject* self, void*) {
  const kiln_device device = reinterpret_cast<StreamObject*>(self)->device;
  return Py_BuildValue("(ii)", device.type, device.index);
}

PyMethodDef stream_methods[] = {
    {"synchronize", stream_synchronize, METH_NOARGS,
     "synchronize()\n--\n\nWaits for the work of the stream. Fails with the error of that work. Ctrl+C ends the wait, and the "
     "work goes on."},
    {"wait_event", stream_wait, METH_O,
     "wait_event(event)\n--\n\nMakes later work of the stream wait for an event, without waiting in the caller."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef stream_values[] = {{"ptr", stream_native, nullptr, "The vendor's stream as an int; 0 on a CPU.", nullptr},
                               {"_place", stream_device, nullptr, nullptr, nullptr},
                               {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot stream_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(stream_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(stream_free)},
    {Py_tp_methods, stream_methods},
    {Py_tp_getset, stream_values},
    {Py_tp_doc,
     const_cast<char*>("Stream(device=None, priority=0, native=None)\n--\n\nA queue of work on a device, in order. `native` "
                       "wraps a stream of CUDA or HIP that the caller keeps alive.")},
    {0, nullptr}};
PyType_Spec stream_spec = {"kiln.Stream", sizeof(StreamObject), 0, Py_TPFLAGS_DEFAULT, stream_slots};

PyObject* event_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"device", nullptr};
  PyObject* device = Py_None;
  if (PyArg_ParseTupleAndKeywords(args, keywords, "|O:Event", const_cast<char**>(names), &device) == 0) return nullptr;
  kiln_device where{0, 0};
  if (!convert_device(device == Py_None ? Ref(PyUnicode_FromString("best")).get() : device, where)) return nullptr;
  kiln_event* made = nullptr;
  Error error;
  if (kiln_event_new(&made, where, error.out()) != KILN_OK) return error.raise();
  auto* const self = reinterpret_cast<EventObject*>(type->tp_alloc(type, 0));
  if (self == nullptr) {
    kiln_event_release(made);
    return nullptr;
  }
  self->handle = made;
  return reinterpret_cast<PyObject*>(self);
}

void event_free(PyObject* self) {
  free_object<EventObject>(self, kiln_event_release);
}

PyObject* event_record(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  const kiln_stream* stream = nullptr;
  if (count > 1) {
    PyErr_SetString(PyExc_TypeError, "record() takes at most one stream");
    return nullptr;
  }
  if (count == 1 && args[0] != Py_None && (stream = stream_of(args[0])) == nullptr) return nullptr;
  Error error;
  if (kiln_event_record(reinterpret_cast<EventObject*>(self)->handle, stream, error.out()) != KILN_OK) return error.raise();
  Py_RETURN_NONE;
}

PyObject* event_synchronize(PyObject* self, PyObject*) {
  if (!wait_for(reinterpret_cast<EventObject*>(self)->handle)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* event_done(PyObject* self, void*) {
  std::int32_t done = 0;
  Error error;
  if (kiln_event_done(&done, reinterpret_cast<EventObject*>(self)->handle, error.out()) != KILN_OK) return error.raise();
  return PyBool_FromLong(done);
}

PyObject* event_elapsed(PyObject* self, PyObject* end) {
  if (Py_TYPE(end) != event_class) {
    PyErr_Format(PyExc_TypeError, "a kiln.Event is expected, and this is %s", Py_TYPE(end)->tp_name);
    return nullptr;
  }
  double ms = 0;
  Error error;
  const kiln_status status = kiln_event_elapsed_ms(&ms, reinterpret_cast<EventObject*>(self)->handle,
                                                   reinterpret_cast<EventObject*>(end)->handle, error.out());
  if (status != KILN_OK) return error.raise();
  return PyFloat_FromDouble(ms);
}

PyMethodDef event_methods[] = {
    {"record", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(event_record)), METH_FASTCALL,
     "record(stream=None)\n--\n\nSets the event to the work that a stream has so far."},
    {"synchronize", event_synchronize, METH_NOARGS,
     "synchronize()\n--\n\nWaits for the event. Ctrl+C ends the wait, and the work goes on."},
    {"elapsed_ms", event_elapsed, METH_O,
     "elapsed_ms(end)\n--\n\nReturns the milliseconds from this event to another. Both are reached."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef event_values[] = {{"done", event_done, nullptr, "Whether the event is reached.", nullptr},
                              {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot event_slots[] = {{Py_tp_new, reinterpret_cast<void*>(event_new)},
                             {Py_tp_dealloc, reinterpret_cast<void*>(event_free)},
                             {Py_tp_methods, event_methods},
                             {Py_tp_getset, event_values},
                             {Py_tp_doc, const_cast<char*>("Event(device=None)\n--\n\nA point in the work of a stream.")},
                             {0, nullptr}};
PyType_Spec event_spec = {"kiln.Event", sizeof(EventObject), 0, Py_TPFLAGS_DEFAULT, event_slots};

bool add_class(PyObject* module, const char* name, PyType_Spec& spec, PyTypeObject*& type) {
  type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return type != nullptr && PyModule_AddObjectRef(module, name, reinterpret_cast<PyObject*>(type)) == 0;
}

}  // namespace

const kiln_stream* stream_of(PyObject* object) {
  if (Py_TYPE(object) == stream_class) return reinterpret_cast<StreamObject*>(object)->handle;
  PyErr_Format(PyExc_TypeError,
               "stream: a kiln.Stream is expected, and this is %s; kiln.Stream(device, native=pointer) wraps another",
               Py_TYPE(object)->tp_name);
  return nullptr;
}

bool add_streams(PyObject* module) {
  return add_class(module, "Stream", stream_spec, stream_class) && add_class(module, "Event", event_spec, event_class);
}

}  // namespace kiln::python
