#include "source/pointer_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "source/uses.hpp"

namespace kiln::codegen {
namespace {

class PointerUses : Uses {
 public:
  PointerUses(const BodyTokens& body, std::span<const ArrayUse> parameters) : Uses(body) {
    for (const ArrayUse& parameter : parameters) {
      if (parameter.array && parameter.dimensions == 0 && !body.may_declare(parameter.name)) parameters_.push_back(&parameter);
    }
  }

  void check() const {
    for (std::size_t t = 0; t < body_.size(); ++t) {
      if (body_[t].kind != Token::Kind::identifier || body_.is_member(t)) continue;
      const auto found = std::ranges::find_if(parameters_, [&](const ArrayUse* each) { return each->name == body_[t].text; });
      if (found != parameters_.end()) check_pointer(t, **found);
    }
  }

 private:
  void check_pointer(std::size_t t, const ArrayUse& array) const {
    const std::string& name = array.name;
    const std::string view = fmt::format("declare a view in the signature: {}[:] {}", array.type, name);
    if (body_.is(t + 1, "("))
      refuse(body_[t], fmt::format("{0} is a pointer and no function; write {0}[i], or {1}", name, view));
    if (body_.is(t + 1, ".")) {
      refuse(body_[t], fmt::format("{0} is a pointer to the elements and has no members; write {0}[i], and give extents as "
                                   "scalars, or {1}",
                                   name, view));
    }
    if (!body_.is(t + 1, "[")) return;
    std::vector<BodyTokens::Range> indices;
    if (!body_.split(t + 1, indices)) return;
    const std::size_t end = body_.match(t + 1) + 1;
    if (indices.size() > 1 || body_.is(end, "[")) {
      refuse(body_[t],
             fmt::format("{0} is a pointer and has one index, of its elements in C order; write {0}[i * columns + j], or "
                         "declare a view in the signature: {1}[:,:] {0}",
                         name, array.type));
    }
    if (indices.size() == 1) {
      const auto given = literal(indices[0]);
      if (given && is_floating(*given)) {
        refuse(body_[indices[0].first],
               fmt::format("the index {} of {} is no integer; cut off its fraction: index({})", *given, name, *given));
      }
    }
    if (array.read_only && (is_written(end) || is_stepped(t))) {
      refuse(body_[t], fmt::format("{} is only read: it is const in the signature; leave that out to write to it", name));
    }
  }

  std::vector<const ArrayUse*> parameters_;
};

}  // namespace

void check_pointers(const BodyTokens& body, std::span<const ArrayUse> parameters) {
  PointerUses(body, parameters).check();
}

}  // namespace kiln::codegen
