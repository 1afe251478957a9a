#include "program/memory_tier.hpp"

#include <algorithm>
#include <utility>

namespace kiln::program {

MemoryTier::Node* MemoryTier::use(const std::string& digest) {
  const auto found = table_.find(digest);
  if (found == table_.end()) return nullptr;
  Node& node = found->second;
  Order& order = node.outcome.failure != nullptr ? failures_ : codes_;
  order.splice(order.end(), order, node.place);
  return &node;
}

const Outcome* MemoryTier::find(const std::string& digest) {
  const Node* const node = use(digest);
  return node == nullptr ? nullptr : &node->outcome;
}

void MemoryTier::insert(const std::string& digest, const Outcome& outcome, Dropped& dropped) {
  const bool failed = outcome.failure != nullptr;
  const std::size_t size = failed ? 0 : outcome.code.bytes().size();
  if (size > limits_.code_bytes || (failed && limits_.failures == 0)) return;
  const auto [place, added] = table_.try_emplace(digest, Node{outcome, {}, {}});
  if (!added) return;
  Order& order = failed ? failures_ : codes_;
  place->second.place = order.insert(order.end(), &place->first);
  code_bytes_ += size;
  drop_beyond_limit(dropped);
  while (failures_.size() > limits_.failures) drop_oldest(failures_, dropped);
}

void MemoryTier::drop_beyond_limit(Dropped& dropped) {
  while (code_bytes_ > limits_.code_bytes) drop_oldest(codes_, dropped);
}

void MemoryTier::drop_oldest(Order& order, Dropped& dropped) {
  const auto oldest = table_.find(*order.front());
  Node& node = oldest->second;
  if (node.outcome.code.image != nullptr) {
    code_bytes_ -= node.outcome.code.bytes().size();
    dropped.push_back(std::move(node.outcome.code.image));
  }
  for (OnDevice& each : node.modules) {
    code_bytes_ -= each.module->memory_bytes();
    add_orphan({oldest->first, each.backend}, each.module, node.outcome.code.compile_ms);
    dropped.push_back(std::move(each.module));
  }
  order.pop_front();
  table_.erase(oldest);
}

void MemoryTier::add_orphan(OrphanKey key, const std::shared_ptr<backend::Module>& module, double compile_ms) {
  if (orphans_.size() >= orphans_swept_) {
    std::erase_if(orphans_, [](const auto& each) { return each.second.module.expired(); });
    orphans_swept_ = std::max<std::size_t>(64, 2 * orphans_.size());
  }
  orphans_.insert_or_assign(std::move(key), Orphan{module, compile_ms});
}

MemoryTier::Loaded MemoryTier::find_module(const std::string& digest, const backend::Backend& backend) {
  if (const Node* const node = use(digest)) {
    for (const OnDevice& each : node->modules) {
      if (each.backend == &backend) return {each.module, node->outcome.code.compile_ms};
    }
  }
  if (orphans_.empty()) return {};
  const auto orphan = orphans_.find({digest, &backend});
  if (orphan == orphans_.end()) return {};
  return {orphan->second.module.lock(), orphan->second.compile_ms};
}

std::shared_ptr<backend::Module> MemoryTier::insert_module(const std::string& digest, const backend::Backend& backend,
                                                           Loaded loaded, Dropped& dropped) {
  if (Loaded known = find_module(digest, backend); known.module != nullptr) return std::move(known.module);
  if (Node* const node = use(digest)) {
    node->modules.push_back({&backend, loaded.module});
    code_bytes_ += loaded.module->memory_bytes();
    drop_beyond_limit(dropped);
  } else {
    add_orphan({digest, &backend}, loaded.module, loaded.compile_ms);
  }
  return std::move(loaded.module);
}

}  // namespace kiln::program
