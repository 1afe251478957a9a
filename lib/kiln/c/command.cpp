#include "kiln/command.hpp"

#include "c/cache.hpp"
#include "c/guard.hpp"
#include "c/text.hpp"

using namespace kiln::c;

kiln_status kiln_command(kiln_text** reply, const char* request, size_t length, const kiln_cache* cache,
                         kiln_error** error) noexcept {
  return guarded(error, reply, [&] {
    kiln_text*& made = output(reply, "reply");
    made = make<kiln_text>(kiln::run_command(string_of(request, length, "request"), cache_of(cache)));
  });
}
