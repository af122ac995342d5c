// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Plot.hpp>
#include <Koinon_Perf_Sizes.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace Koinon::Perf {

namespace {

struct Point {
  double bytes, microseconds;
};

struct Line {
  std::string name;
  std::vector<Point> points;
};

/// Maps one logarithmic axis onto pixels.
struct Axis {
  double low, high;   // logarithms of the ends
  double begin, end;  // pixels of the ends

  double operator()(double value) const {
    return begin + (std::log(value) - low) / std::max(high - low, 1e-9) * (end - begin);
  }
};

constexpr double width = 860, height = 520, left = 80, right = 840, top = 50, bottom = 460;
constexpr std::array colors{"#1b6ca8", "#c8553d", "#588b4a", "#7b5ea7"};

std::vector<Line> lines_of(Report const& report) {
  std::vector<Line> lines{{"Koinon", {}}};
  for (auto const& result : report.results) {
    auto const bytes = static_cast<double>(result.bytes);
    if (bytes > 0 && result.refusal.empty()) lines.front().points.push_back({bytes, result.time.median});
    for (auto const& rival : result.rivals) {
      auto line = std::find_if(lines.begin(), lines.end(), [&](Line const& known) { return known.name == rival.name; });
      if (line == lines.end()) line = lines.insert(line, {rival.name, {}});
      if (bytes > 0 && rival.refusal.empty()) line->points.push_back({bytes, rival.time.median});
    }
  }
  return lines;
}

std::string escaped(std::string const& text) {
  std::string result;
  for (char const letter : text) {
    if (letter == '<')
      result += "&lt;";
    else if (letter == '>')
      result += "&gt;";
    else if (letter == '&')
      result += "&amp;";
    else
      result += letter;
  }
  return result;
}

std::string text_at(double x, double y, std::string const& anchor, std::string const& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, escaped(text));
}

std::string grid_line(double x1, double y1, double x2, double y2) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n", x1, y1, x2,
                     y2);
}

/// Draws a line and its label at every power of ten of time, and at every fourth power of two of bytes.
std::string grid(Axis const& x, Axis const& y) {
  std::string svg;
  for (int power = static_cast<int>(std::floor(y.low / std::log(10.0))); power * std::log(10.0) <= y.high + 1e-9;
       ++power) {
    if (power * std::log(10.0) < y.low - 1e-9) continue;
    auto const at = y(std::pow(10.0, power));
    svg += grid_line(left, at, right, at) +
           text_at(left - 8, at + 4, "end", fmt::format("{:g} us", std::pow(10.0, power)));
  }
  auto const first = static_cast<int>(std::ceil(x.low / std::log(2.0) - 1e-9));
  for (int power = first; power * std::log(2.0) <= x.high + 1e-9; power += 4) {
    auto const at = x(std::pow(2.0, power));
    svg += grid_line(at, top, at, bottom) + text_at(at, bottom + 18, "middle", readable_bytes(std::size_t{1} << power));
  }
  return svg;
}

std::string draw(Line const& line, std::size_t index, Axis const& x, Axis const& y) {
  auto const* color = colors[index % colors.size()];
  std::string path, marks;
  for (auto const& point : line.points) {
    path += fmt::format("{:.1f},{:.1f} ", x(point.bytes), y(point.microseconds));
    marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x(point.bytes),
                         y(point.microseconds), color);
  }
  auto const legend = top + 20 + 18 * static_cast<double>(index);
  return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", path, color) +
         marks +
         fmt::format("<rect x=\"{}\" y=\"{}\" width=\"14\" height=\"4\" fill=\"{}\"/>\n", left + 14, legend - 6,
                     color) +
         text_at(left + 34, legend, "start", line.name);
}

}  // namespace

std::string plot_svg(Report const& report) {
  auto const lines = lines_of(report);
  Axis x{1e300, -1e300, left, right}, y{1e300, -1e300, bottom, top};
  for (auto const& line : lines) {
    for (auto const& point : line.points) {
      x.low = std::min(x.low, std::log(point.bytes));
      x.high = std::max(x.high, std::log(point.bytes));
      y.low = std::min(y.low, std::log(point.microseconds));
      y.high = std::max(y.high, std::log(point.microseconds));
    }
  }
  auto svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      width, height);
  svg += text_at(width / 2, 24, "middle", report.command);
  svg += text_at(width / 2, height - 14, "middle", "bytes; time of rewriting the input and of the call");
  if (x.low <= x.high) {
    svg += grid(x, y);
    for (std::size_t i = 0; i < lines.size(); ++i) svg += draw(lines[i], i, x, y);
  }
  return svg + "</svg>\n";
}

}  // namespace Koinon::Perf
