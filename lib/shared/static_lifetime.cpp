// Static objects of kiln's libraries live as long as the process: other threads and handlers of atexit() use them until its
// end. The linker binds the registrations of their destructors here (--wrap).
extern "C" {
int __wrap___cxa_atexit(void (*destructor)(void*), void* object, void* library);

int __wrap___cxa_atexit(void (* /*destructor*/)(void*), void* /*object*/, void* /*library*/) {
  return 0;
}
}
