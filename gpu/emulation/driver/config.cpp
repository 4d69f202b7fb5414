#include "config.h"

#include <algorithm>
#include <cstdlib>

namespace emulation {
namespace {

// A number with an optional K, M or G.
bool readNumber(const std::string &text, uint64_t *n) {
  char *end = nullptr;
  if (text.empty() || text[0] < '0' || text[0] > '9') return false;
  *n = std::strtoull(text.c_str(), &end, 10);
  switch (*end) {
  case 'G': *n <<= 10; [[fallthrough]];
  case 'M': *n <<= 10; [[fallthrough]];
  case 'K': *n <<= 10; end++;
  }
  return *end == 0;
}

// FUNCTION:CODE[@N][!]
bool readFailure(std::string text, Failure *f) {
  if (!text.empty() && text.back() == '!') {
    f->forever = true;
    text.pop_back();
  }
  size_t colon = text.find(':'), at = text.find('@');
  if (colon == std::string::npos || colon == 0) return false;
  f->function = text.substr(0, colon);
  uint64_t code;
  if (!readNumber(text.substr(colon + 1, at == std::string::npos ? at : at - colon - 1), &code)) return false;
  f->code = (int)code;
  return at == std::string::npos || (readNumber(text.substr(at + 1), &f->at) && f->at > 0);
}

} // namespace

std::string Config::read(const std::string &text) {
  struct Number {
    const char *key;
    uint64_t *value;
  } numbers[] = {{"devices", &devices}, {"driver", &driver},     {"cc", &cc},     {"sms", &sms},
                 {"memory", &memory},   {"workers", &workers},   {"seed", &seed}, {"resident", &resident},
                 {"delays", &delays},   {"copyrate", &copyRate}, {"timeout", &timeout}};
  for (size_t from = 0; from < text.size();) {
    size_t comma = std::min(text.find(',', from), text.size());
    std::string item = text.substr(from, comma - from);
    from = comma + 1;
    if (item.empty()) continue;
    size_t equals = item.find('=');
    if (equals == std::string::npos) return "no value in \"" + item + "\"";
    std::string key = item.substr(0, equals), value = item.substr(equals + 1);
    if (key == "fail") {
      Failure f;
      if (!readFailure(value, &f)) return "\"" + value + "\" is not FUNCTION:CODE[@N][!]";
      failures.push_back(f);
      continue;
    }
    bool known = false;
    for (Number &n : numbers) {
      if (key != n.key) continue;
      known = true;
      if (!readNumber(value, n.value)) return "\"" + value + "\" is no number for " + key;
    }
    if (!known) return "unknown key \"" + key + "\"";
  }
  if (sms == 0 || resident == 0) return "sms and resident must be at least 1";
  return "";
}

void Failures::reset(const std::vector<Failure> &failures) {
  std::lock_guard<std::mutex> lock(mutex_);
  failures_ = failures;
  calls_.clear();
  lost_ = 0;
}

int Failures::call(const std::string &function) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (lost_) return lost_;
  uint64_t n = ++calls_[function];
  for (const Failure &f : failures_) {
    if (f.function != function || f.at != n) continue;
    if (f.forever) lost_ = f.code;
    return f.code;
  }
  return 0;
}

} // namespace emulation
