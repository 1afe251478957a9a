// A key that parses has one canonical text, which parses to the same key.
#include "cache/key.hpp"

#include "targets.hpp"

namespace kiln::fuzz {

void key(std::string_view bytes) {
  const auto parsed = cache::parse_key(bytes);
  if (!parsed) return;
  const std::string canonical = parsed->canonical();
  const auto again = cache::parse_key(canonical);
  require(again.has_value(), "a canonical text parses");
  require(again->canonical() == canonical, "a canonical text stays as it is");
  require(again->source == parsed->source && again->headers == parsed->headers && again->options == parsed->options &&
              again->defines == parsed->defines && again->target == parsed->target && again->compiler == parsed->compiler,
          "a canonical text holds the whole key");
  require(cache::digest(canonical).size() == 32, "a digest has 32 digits");
}

}  // namespace kiln::fuzz
