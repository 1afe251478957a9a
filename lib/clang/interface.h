/* The C interface between libkiln.so and libkiln-clang.so, which exports one function, kiln_clang(). Nothing of LLVM or of
 * the C++ library crosses it, so that the two may be built by different compilers and with or without sanitizers. */
#ifndef KILN_BACKEND_CPU_CLANG_INTERFACE_H
#define KILN_BACKEND_CPU_CLANG_INTERFACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised with every change of this file: both sides must agree. And where the same source gives other code: it is part of the
 * keys of kernels. */
#define KILN_CLANG_INTERFACE 51
#define KILN_CLANG_SYMBOL "kiln_clang"
/* Where the files of a request lie, for arguments that name one. */
#define KILN_CLANG_FOLDER "/kiln/include/"

/* Bytes with a length; not terminated. */
struct kiln_clang_text {
  const char* data;
  size_t size;
};

/* A header as an #include names it, and its text; or bitcode that -mlink-builtin-bitcode names. */
struct kiln_clang_file {
  struct kiln_clang_text name;
  struct kiln_clang_text text;
};

enum kiln_clang_form {
  KILN_CLANG_SHARED_OBJECT = 0, /* of the host, or AMD's code object; NVIDIA's GPUs have none */
  KILN_CLANG_IR = 1,            /* LLVM's intermediate language as text, after all its passes */
  KILN_CLANG_ASSEMBLY = 2,      /* NVIDIA's PTX as text */
  KILN_CLANG_BITCODE = 3,       /* LLVM's, after all its passes */
  KILN_CLANG_OBJECT = 4,        /* relocatable, of the host or an AMD GPU */
  KILN_CLANG_LOADABLE = 5       /* of the host: relocatable where kiln's own loader takes that, else a shared object */
};

/* What a shared object is linked with. */
struct kiln_clang_object {
  struct kiln_clang_text name; /* for messages */
  struct kiln_clang_text bytes;
  const char* path; /* of a shared object, which is read from there; else null */
  int32_t lazy;     /* linked only where it defines what is missing */
};

struct kiln_clang_request {
  int32_t form; /* enum kiln_clang_form */
  struct kiln_clang_text source;
  const struct kiln_clang_file* headers;
  size_t header_count;
  const char* const* arguments; /* of clang -cc1, without input and output; the target is the host, AMDGPU or NVPTX */
  size_t argument_count;
  const struct kiln_clang_object* objects;
  size_t object_count;
  const struct kiln_clang_file* bitcode; /* the code is linked with it where it needs it; inlined as if it were its own */
  size_t bitcode_count;
  struct kiln_clang_text
      debugs; /* the name of a kernel that is compiled for debugging: debuggers call its body so; else empty */
  /* Kept where serve() compiles, ignored elsewhere; 0: none. */
  int64_t time_limit_ms; /* of the processor's time */
  uint64_t memory_limit; /* bytes of address space beyond those in use */
};

enum kiln_clang_severity { KILN_CLANG_NOTE = 0, KILN_CLANG_WARNING = 1, KILN_CLANG_ERROR = 2 };

struct kiln_clang_diagnostic {
  int32_t severity; /* enum kiln_clang_severity */
  int32_t line;     /* from 1; 0 where there is none */
  int32_t column;   /* from 1; 0 where there is none */
  struct kiln_clang_text file;
  struct kiln_clang_text text;
  struct kiln_clang_text source_line; /* without its newline */
};

/* What the compiler knows of machine code that it made. */
struct kiln_clang_report {
  int32_t known; /* 0: it is not for the host's CPUs, and the rest is empty */
  /* The widest arithmetic on vectors in loops; copies where loops compute nothing; 0: scalar. Vectors within one item do not
   * count where items are computed one at a time. */
  int64_t vector_bits;
  int64_t spills;      /* instructions in loops that store a register for lack of others */
  int64_t stack_bytes; /* the largest frame of a function, saved registers included */
  /* A note: why items of a loop are computed one at a time, and where in the user's text. No text where none are. */
  struct kiln_clang_diagnostic scalar_because;
};

enum kiln_clang_status {
  KILN_CLANG_OK = 0,
  KILN_CLANG_REJECTED = 1,   /* the source is wrong: see diagnostics */
  KILN_CLANG_UNDEFINED = 2,  /* compiled, but a shared object or PTX uses functions that nobody defines: see undefined */
  KILN_CLANG_FAILED = 3,     /* clang or lld could not do its work: see error */
  KILN_CLANG_UNLINKABLE = 4, /* the objects cannot be linked: see error */
  KILN_CLANG_CRASHED = 5,    /* what LLVM or lld means as the end of the process, or of serve() a signal: see error */
  /* Of serve() alone, which ends with these and with the one before. See log for what was being done. */
  KILN_CLANG_TOO_DEEP = 6,  /* its stack is full; error says how large it is */
  KILN_CLANG_TOO_LONG = 7,  /* beyond the request's time_limit_ms */
  KILN_CLANG_TOO_LARGE = 8, /* beyond the request's memory_limit */
  KILN_CLANG_NO_MEMORY = 9, /* the system gave none */
  KILN_CLANG_ENDED = 10     /* the process ended without an answer */
};

/* Machine code without its container. */
struct kiln_clang_machine_code {
  const char* triple; /* x86-64, AArch64 (each on its own host) or AMDGPU */
  const char* processor;
  const char* features; /* "+this,-that" */
  struct kiln_clang_text bytes;
  uint64_t address; /* of the first byte */
};

struct kiln_clang_instruction {
  uint64_t address;
  uint64_t target; /* of a direct branch or call; else UINT64_MAX */
  uint32_t size;
  struct kiln_clang_text text; /* "vmulps zmm0, zmm1, zmm2"; ".byte 0x06" for what is no instruction */
};

struct kiln_clang_result {
  int32_t status;
  struct kiln_clang_text
      code; /* an ELF file, bitcode or a text; of KILN_CLANG_UNDEFINED as well where it is no shared object */
  const struct kiln_clang_instruction* instructions; /* of a disassembly */
  size_t instruction_count;
  const struct kiln_clang_diagnostic* diagnostics;
  size_t diagnostic_count;
  const struct kiln_clang_text* undefined; /* readable (demangled) names */
  size_t undefined_count;
  struct kiln_clang_report report;
  struct kiln_clang_text log; /* what clang would have printed */
  struct kiln_clang_text error;
  double front_end_ms; /* of a compile, until LLVM's passes begin; zeros otherwise */
  double passes_ms;
  double code_ms; /* making machine code */
  double link_ms;
};

struct kiln_clang_api {
  uint32_t interface_version;
  const char* version; /* of clang: "19.1.7" */
  /* Never null, never throws; to be given to release(). Thread-safe: compiles run in parallel, links one after another.
   * Reads no file but the C library's own shared objects and those that a request names, prints nothing, changes no signal
   * handler. */
  const struct kiln_clang_result* (*compile)(const struct kiln_clang_request* request);
  /* As compile. Any bytes may be given: what is no instruction is shown as bytes. */
  const struct kiln_clang_result* (*disassemble)(const struct kiln_clang_machine_code* code);
  /* As compile. Where an instruction of a shared object comes from, by its debug information: one diagnostic with file, line
   * and column, of the innermost text that is the user's; none where that is unknown. */
  const struct kiln_clang_result* (*locate)(const struct kiln_clang_text* code, uint64_t address);
  void (*release)(const struct kiln_clang_result* result);
  /* Answers the questions that come over the socket (messages.hpp), one after another, and ends the process when the other side
   * is closed, or behind the answer to a question that crashed. For a process of its own: it sets signal handlers and limits.
   */
  void (*serve)(int socket);
};

/* The functions, or null where the module does not speak that version of the interface. */
const struct kiln_clang_api* kiln_clang(uint32_t interface_version);

#ifdef __cplusplus
}
#endif

#endif
