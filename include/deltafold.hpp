/* deltafold for C++17: the functions of deltafold.h as classes that own their handles. Header only.
 *
 *     deltafold::Reader reader;
 *     for (const deltafold::Event &event : reader.feed(chunk)) std::cout << event.delta();
 *     if (reader.finish().kind() == DFOLD_OUTCOME_COMPLETED) save(reader.response().json());
 *
 * Ownership   An object owns its handle; it can be moved, not copied. Using a moved-from object is DFOLD_MISUSE, not a crash.
 * Views       A std::string_view is valid as long as deltafold.h documents: an Event's until the next feed, poll, end or finish of its
 *             reader, the text of a getter until the next call on the same object. Copy it to a std::string to keep it.
 * Errors      Every call that can fail takes an optional std::error_code pointer as its last argument. Without one it throws
 *             deltafold::Error; with one it stores the error there and never throws. A program built without exceptions is
 *             aborted if a call without an error_code fails. Invalid data from a server is a finding, not an error.
 * Threads     An object is used by one thread at a time; different objects are independent.
 */

#ifndef DELTAFOLD_HPP
#define DELTAFOLD_HPP

#include "deltafold.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace deltafold {

/** The category of the library's std::error_code: values are dfold_status. */
inline const std::error_category &category() noexcept {
    class Category final : public std::error_category {
        const char *name() const noexcept override { return "deltafold"; }
        std::string message(int code) const override { return dfold_status_str(code); }
    };
    static const Category instance;
    return instance;
}

} // namespace deltafold

template <>
struct std::is_error_code_enum<dfold_status> : std::true_type {};

/** Allows comparisons such as `error == DFOLD_LIMIT_LINE`. */
inline std::error_code make_error_code(dfold_status status) noexcept {
    return {static_cast<int>(status), deltafold::category()};
}

namespace deltafold {

/** Converts a view of the C functions. */
inline std::string_view text(dfold_bytes view) noexcept {
    return {reinterpret_cast<const char *>(view.data), view.len};
}

/** Converts text to a view for the C functions. */
inline dfold_bytes bytes(std::string_view text) noexcept {
    return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}

/** A failed call. what() has the whole message (rule and position included), code() the status. */
class Error : public std::system_error {
  public:
    Error(dfold_status status, std::uint64_t offset, const std::string &message)
        : std::system_error(make_error_code(status)), message_(message), offset_(offset) {}

    const char *what() const noexcept override { return message_.what(); }

    dfold_status status() const noexcept { return static_cast<dfold_status>(code().value()); }
    /** The dotted name, such as `limit.line`. */
    std::string_view name() const noexcept { return text(dfold_status_name(code().value())); }
    /** Byte offset from the start of the stream or text; 0 if unknown. */
    std::uint64_t offset() const noexcept { return offset_; }

  private:
    std::runtime_error message_; /* an exception type, because copying it cannot throw */
    std::uint64_t offset_;
};

namespace detail {

[[noreturn]] inline void raise(dfold_status status, std::uint64_t offset, const std::string &message) {
#if defined(__cpp_exceptions)
    throw Error(status, offset, message);
#else
    (void)status, (void)offset, (void)message;
    std::abort();
#endif
}

inline dfold_status error_of(dfold_sse *handle, dfold_error *out) { return dfold_sse_error(handle, out); }
inline dfold_status error_of(dfold_reader *handle, dfold_error *out) { return dfold_reader_error(handle, out); }
inline dfold_status error_of(dfold_writer *handle, dfold_error *out) { return dfold_writer_error(handle, out); }
inline dfold_status error_of(dfold_converter *handle, dfold_error *out) { return dfold_converter_error(handle, out); }
inline dfold_status error_of(dfold_partial *handle, dfold_error *out) { return dfold_partial_error(handle, out); }
inline dfold_status error_of(dfold_tool_loop *handle, dfold_error *out) { return dfold_tool_loop_error(handle, out); }
inline dfold_status error_of(dfold_report *, dfold_error *) { return DFOLD_NO_MORE; }
inline dfold_status error_of(dfold_text *, dfold_error *) { return DFOLD_NO_MORE; }

/** Returns true for DFOLD_OK and false for DFOLD_NO_MORE; a failure is stored in `ec`, or thrown if `ec` is null. */
template <typename Handle>
bool has_result(dfold_status status, Handle *handle, std::error_code *ec) {
    if (ec) ec->clear();
    if (status == DFOLD_OK) return true;
    if (status == DFOLD_NO_MORE) return false;
    if (ec) {
        *ec = make_error_code(status);
        return false;
    }
    dfold_error error;
    if (error_of(handle, &error) == DFOLD_OK && error.status == status) {
        raise(status, error.offset, std::string(text(error.message)));
    }
    raise(status, 0, dfold_status_str(status));
}

/** Checks a call without a handle: a failure is stored in `ec`, or thrown if `ec` is null. */
inline bool check_created(dfold_status status, const dfold_problem &problem, std::error_code *ec) {
    if (ec) ec->clear();
    if (status == DFOLD_OK) return true;
    if (ec) {
        *ec = make_error_code(status);
        return false;
    }
    const bool has_details = problem.status == status;
    raise(status, has_details ? problem.offset : 0, has_details ? problem.message : dfold_status_str(status));
}

struct Free {
    void operator()(dfold_sse *handle) const noexcept { dfold_sse_free(handle); }
    void operator()(dfold_reader *handle) const noexcept { dfold_reader_free(handle); }
    void operator()(dfold_writer *handle) const noexcept { dfold_writer_free(handle); }
    void operator()(dfold_converter *handle) const noexcept { dfold_converter_free(handle); }
    void operator()(dfold_partial *handle) const noexcept { dfold_partial_free(handle); }
    void operator()(dfold_report *handle) const noexcept { dfold_report_free(handle); }
    void operator()(dfold_tool_loop *handle) const noexcept { dfold_tool_loop_free(handle); }
    void operator()(dfold_text *handle) const noexcept { dfold_text_free(handle); }
};

template <typename Handle>
using Owned = std::unique_ptr<Handle, Free>;

/** A single-pass range: calls `Next` once for each element until it returns no element. */
template <typename Element, typename Next>
class Range {
  public:
    explicit Range(Next next) : next_(std::move(next)) {}

    class iterator {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Element;
        using difference_type = std::ptrdiff_t;
        using pointer = const Element *;
        using reference = const Element &;

        iterator() = default;
        explicit iterator(Range *range) : range_(range) { ++*this; }
        reference operator*() const { return *element_; }
        pointer operator->() const { return &*element_; }
        iterator &operator++() {
            element_ = range_->next_();
            if (!element_) range_ = nullptr;
            return *this;
        }
        void operator++(int) { ++*this; }
        friend bool operator==(const iterator &a, const iterator &b) { return a.range_ == b.range_; }
        friend bool operator!=(const iterator &a, const iterator &b) { return a.range_ != b.range_; }

      private:
        Range *range_ = nullptr;
        std::optional<Element> element_;
    };

    iterator begin() { return iterator(this); }
    iterator end() { return iterator(); }

  private:
    Next next_;
};

inline std::optional<std::uint64_t> number(std::uint32_t has, std::uint32_t bit, std::uint64_t value) {
    return has & bit ? std::optional<std::uint64_t>(value) : std::nullopt;
}

} // namespace detail

/** One JSON value, found by a JSON pointer. */
class Value {
  public:
    explicit Value(const dfold_value &value) : value_(value) {}

    dfold_type type() const noexcept { return value_.type; }
    /** The decoded text of a string; the JSON text of every other value. */
    std::string_view text() const noexcept { return deltafold::text(value_.text); }
    bool is_true() const noexcept { return value_.is_true; }
    double number() const noexcept { return value_.number; }
    /** Number of elements or members. */
    std::size_t count() const noexcept { return value_.count; }
    std::optional<std::int64_t> integer() const {
        return value_.has_integer ? std::optional<std::int64_t>(value_.integer) : std::nullopt;
    }

  private:
    dfold_value value_;
};

/** One event of a stream: a view into its reader. */
class Event {
  public:
    Event(const dfold_event &event, dfold_reader *reader) : event_(event), reader_(reader) {}

    dfold_kind kind() const noexcept { return event_.kind; }
    std::string_view type() const noexcept { return text_of(event_.type); }
    std::string_view delta() const noexcept { return text_of(event_.delta); }
    std::string_view raw() const noexcept { return text_of(event_.raw); }
    std::uint64_t index() const noexcept { return event_.index; }
    std::uint64_t offset() const noexcept { return event_.offset; }
    std::optional<std::uint64_t> sequence_number() const { return at(DFOLD_HAS_SEQUENCE_NUMBER, event_.sequence_number); }
    std::optional<std::uint64_t> output_index() const { return at(DFOLD_HAS_OUTPUT_INDEX, event_.output_index); }
    std::optional<std::uint64_t> content_index() const { return at(DFOLD_HAS_CONTENT_INDEX, event_.content_index); }
    std::optional<std::uint64_t> summary_index() const { return at(DFOLD_HAS_SUMMARY_INDEX, event_.summary_index); }
    std::optional<std::string_view> item_id() const { return view(DFOLD_HAS_ITEM_ID, event_.item_id); }
    /** The complete string of a done event. */
    std::optional<std::string_view> text() const { return view(DFOLD_HAS_TEXT, event_.text); }
    std::optional<std::string_view> frame_name() const { return view(DFOLD_HAS_FRAME_NAME, event_.frame_name); }
    /** True if the payload is not a JSON object. */
    bool is_faulty() const noexcept { return event_.has & DFOLD_HAS_FAULT; }
    /** Any field by JSON pointer, while this is the reader's newest event. */
    std::optional<Value> get(std::string_view pointer, std::error_code *ec = nullptr) const {
        dfold_value value;
        if (!detail::has_result(dfold_event_get(reader_, bytes(pointer), &value), reader_, ec)) return std::nullopt;
        return Value(value);
    }
    /** The struct of deltafold.h, for members without a method. */
    const dfold_event &c() const noexcept { return event_; }

  private:
    static std::string_view text_of(dfold_bytes view) noexcept { return deltafold::text(view); }
    std::optional<std::uint64_t> at(std::uint32_t bit, std::uint64_t value) const {
        return detail::number(event_.has, bit, value);
    }
    std::optional<std::string_view> view(std::uint32_t bit, dfold_bytes value) const {
        return event_.has & bit ? std::optional<std::string_view>(text_of(value)) : std::nullopt;
    }

    dfold_event event_;
    dfold_reader *reader_;
};

/** One rule that was broken, or one repair that was made. */
class Finding {
  public:
    explicit Finding(const dfold_finding &finding) : finding_(finding) {}

    dfold_severity severity() const noexcept { return finding_.severity; }
    std::string_view rule() const noexcept { return text(finding_.rule); }
    std::string_view layer() const noexcept { return text(finding_.layer); }
    std::string_view path() const noexcept { return text(finding_.path); }
    std::string_view message() const noexcept { return text(finding_.message); }
    /** The repair that was made; empty if there was none. */
    std::string_view repair() const noexcept { return text(finding_.repair); }
    std::uint64_t offset() const noexcept { return finding_.offset; }
    std::optional<std::uint64_t> event_index() const {
        return detail::number(finding_.has_event_index, 1, finding_.event_index);
    }
    std::optional<std::uint64_t> sequence_number() const {
        return detail::number(finding_.has_sequence_number, 1, finding_.sequence_number);
    }

  private:
    dfold_finding finding_;
};

/** How a stream ended. */
class Outcome {
  public:
    Outcome() = default;
    explicit Outcome(const dfold_outcome &outcome)
        : kind_(outcome.kind), name_(text(outcome.name)), reason_(text(outcome.reason)),
          error_type_(text(outcome.error_type)), error_code_(text(outcome.error_code)),
          error_message_(text(outcome.error_message)),
          last_(detail::number(outcome.has_last_sequence_number, 1, outcome.last_sequence_number)) {}

    dfold_outcome_kind kind() const noexcept { return kind_; }
    const std::string &name() const noexcept { return name_; }
    const std::string &reason() const noexcept { return reason_; }
    const std::string &error_type() const noexcept { return error_type_; }
    const std::string &error_code() const noexcept { return error_code_; }
    const std::string &error_message() const noexcept { return error_message_; }
    /** The number to resume after, for a truncated stream. */
    std::optional<std::uint64_t> last_sequence_number() const { return last_; }

  private:
    dfold_outcome_kind kind_ = DFOLD_OUTCOME_OTHER;
    std::string name_, reason_, error_type_, error_code_, error_message_;
    std::optional<std::uint64_t> last_;
};

/** One part of an item's content or summary. */
struct Part {
    std::string_view type;
    std::string_view text;
};

/** One output item, in progress or done: a view into its reader. */
class Item {
    template <typename Getter>
    auto parts_of(Getter getter) const {
        auto next = [=, reader = reader_, item = position_, at = std::size_t(0)]() mutable -> std::optional<Part> {
            dfold_part part;
            if (getter(reader, item, at++, &part) != DFOLD_OK) return std::nullopt;
            return Part{text(part.type), text(part.text)};
        };
        return detail::Range<Part, decltype(next)>(next);
    }

  public:
    Item(const dfold_item &item, std::size_t position, dfold_reader *reader)
        : item_(item), position_(position), reader_(reader) {}

    std::size_t position() const noexcept { return position_; }
    std::string_view type() const noexcept { return text(item_.type); }
    std::string_view id() const noexcept { return text(item_.id); }
    std::string_view status() const noexcept { return text(item_.status); }
    std::string_view call_id() const noexcept { return text(item_.call_id); }
    std::string_view name() const noexcept { return text(item_.name); }
    /** The text of a tool call so far. */
    std::string_view arguments() const noexcept { return text(item_.arguments); }
    bool is_done() const noexcept { return item_.done; }
    /** The parts of the content. */
    auto parts() const { return parts_of(dfold_reader_part); }
    /** The parts of the summary. */
    auto summary() const { return parts_of(dfold_reader_summary_part); }
    /** The arguments so far as complete JSON text; empty before the value begins. */
    std::optional<std::string_view> partial_arguments(std::error_code *ec = nullptr) const {
        dfold_bytes json;
        if (!detail::has_result(dfold_reader_partial_arguments(reader_, position_, &json), reader_, ec)) return std::nullopt;
        return text(json);
    }
    std::optional<Value> get(std::string_view pointer, std::error_code *ec = nullptr) const {
        dfold_value value;
        if (!detail::has_result(dfold_reader_item_get(reader_, position_, bytes(pointer), &value), reader_, ec)) {
            return std::nullopt;
        }
        return Value(value);
    }
    std::string_view json(std::error_code *ec = nullptr) const {
        dfold_bytes json;
        if (!detail::has_result(dfold_reader_item_json(reader_, position_, &json), reader_, ec)) return {};
        return text(json);
    }

  private:
    dfold_item item_;
    std::size_t position_;
    dfold_reader *reader_;
};

/** The response so far: a view into its reader. */
class Response {
  public:
    explicit Response(dfold_reader *reader) : reader_(reader) {}

    std::string_view id() const noexcept { return text(head().id); }
    std::string_view status() const noexcept { return text(head().status); }
    std::string_view model() const noexcept { return text(head().model); }
    std::size_t size() const noexcept { return head().items; }
    /** The concatenated text of all output_text parts of all messages. */
    std::string_view output_text(std::error_code *ec = nullptr) const {
        dfold_bytes joined;
        if (!detail::has_result(dfold_reader_output_text(reader_, &joined), reader_, ec)) return {};
        return text(joined);
    }
    /** The whole response as JSON text. */
    std::string_view json(std::error_code *ec = nullptr) const {
        dfold_bytes json;
        if (!detail::has_result(dfold_reader_response_json(reader_, &json), reader_, ec)) return {};
        return text(json);
    }
    /** Any field except `output`, by JSON pointer. */
    std::optional<Value> get(std::string_view pointer, std::error_code *ec = nullptr) const {
        dfold_value value;
        if (!detail::has_result(dfold_reader_response_get(reader_, bytes(pointer), &value), reader_, ec)) return std::nullopt;
        return Value(value);
    }
    std::optional<dfold_usage> usage(std::error_code *ec = nullptr) const {
        dfold_usage usage;
        if (!detail::has_result(dfold_reader_usage(reader_, &usage), reader_, ec)) return std::nullopt;
        return usage;
    }
    std::optional<Item> item(std::size_t position, std::error_code *ec = nullptr) const {
        dfold_item item;
        if (!detail::has_result(dfold_reader_item(reader_, position, &item), reader_, ec)) return std::nullopt;
        return Item(item, position, reader_);
    }
    /** The item with the output_index of an event. */
    std::optional<Item> item_at_index(std::uint64_t output_index, std::error_code *ec = nullptr) const {
        std::size_t position;
        if (!detail::has_result(dfold_reader_find_item(reader_, output_index, &position), reader_, ec)) return std::nullopt;
        return item(position, ec);
    }
    auto items() const {
        auto next = [reader = reader_, at = std::size_t(0)]() mutable -> std::optional<Item> {
            dfold_item item;
            if (dfold_reader_item(reader, at, &item) != DFOLD_OK) return std::nullopt;
            return Item(item, at++, reader);
        };
        return detail::Range<Item, decltype(next)>(next);
    }

  private:
    dfold_response head() const noexcept {
        static const std::uint8_t nothing = 0;
        dfold_response head = {{&nothing, 0}, {&nothing, 0}, {&nothing, 0}, 0};
        dfold_reader_response(reader_, &head);
        return head;
    }

    dfold_reader *reader_;
};

/** The options of a reader, initialized to their defaults. */
struct ReaderOptions : dfold_reader_options {
    ReaderOptions() noexcept : dfold_reader_options() { dfold_reader_options_init(this, sizeof(dfold_reader_options)); }
};

/** Reads a stream: takes bytes, split anywhere; returns events, findings and the response. */
class Reader {
  public:
    /** A range over the available events; an error is thrown, or stored in the error_code of the call that returned the range. */
    struct Poll {
        dfold_reader *reader;
        std::error_code *ec;
        bool failed;

        std::optional<Event> operator()() {
            dfold_event event;
            if (failed || !detail::has_result(dfold_reader_poll(reader, &event), reader, ec)) return std::nullopt;
            return Event(event, reader);
        }
    };
    using Events = detail::Range<Event, Poll>;

    explicit Reader(const ReaderOptions &options = ReaderOptions(), std::error_code *ec = nullptr) {
        dfold_reader *reader = nullptr;
        detail::check_created(dfold_reader_new(&options, &reader), dfold_problem(), ec);
        reader_.reset(reader);
    }
    /** Creates a reader from options as a JSON object. */
    static Reader from_json(std::string_view options, std::error_code *ec = nullptr) {
        dfold_reader *reader = nullptr;
        dfold_problem problem = {};
        detail::check_created(dfold_reader_new_json(bytes(options), &problem, &reader), problem, ec);
        return Reader(reader);
    }
    /** Restores a reader from a saved state. */
    static Reader restore(std::string_view saved, const ReaderOptions &options = ReaderOptions(), std::error_code *ec = nullptr) {
        dfold_reader *reader = nullptr;
        const dfold_bytes view = bytes(saved);
        detail::check_created(dfold_reader_restore(view.data, view.len, &options, &reader), dfold_problem(), ec);
        return Reader(reader);
    }

    /** Feeds bytes and returns the events that they complete: `for (const Event &event : reader.feed(chunk))`. */
    Events feed(std::string_view chunk, std::error_code *ec = nullptr) {
        const dfold_bytes view = bytes(chunk);
        return after(dfold_reader_feed(get(), view.data, view.len), ec);
    }
    /** Feeds one JSON message without SSE framing. */
    Events feed_json(std::string_view message, std::error_code *ec = nullptr) {
        const dfold_bytes view = bytes(message);
        return after(dfold_reader_feed_json(get(), view.data, view.len), ec);
    }
    /** Ends the input and returns the last events. */
    Events end(std::error_code *ec = nullptr) { return after(dfold_reader_end(get()), ec); }
    /**
     * Ends the input, applies every event that was not read, and returns how the stream ended. Fails with the error that ended reading, a
     * limit or a rule of a strict reader; `outcome` then has the outcome of what was read before.
     */
    Outcome finish(std::error_code *ec = nullptr) {
        dfold_outcome outcome;
        if (!detail::has_result(dfold_reader_finish(get(), &outcome), get(), ec)) return {};
        return Outcome(outcome);
    }
    /** How the stream ended; nothing while reading continues. */
    std::optional<Outcome> outcome() const {
        dfold_outcome outcome;
        if (dfold_reader_outcome(get(), &outcome) != DFOLD_OK) return std::nullopt;
        return Outcome(outcome);
    }
    /** Continues the stream over a new connection: events that were read before are dropped, an incomplete block is discarded. */
    void reconnect(std::error_code *ec = nullptr) { detail::has_result(dfold_reader_reconnect(get()), get(), ec); }
    void reset(std::error_code *ec = nullptr) { detail::has_result(dfold_reader_reset(get()), get(), ec); }
    void note_request(std::string_view request, std::error_code *ec = nullptr) {
        const dfold_bytes view = bytes(request);
        detail::has_result(dfold_reader_note_request(get(), view.data, view.len), get(), ec);
    }

    Response response() const noexcept { return Response(get()); }
    auto findings() const {
        auto next = [reader = get(), at = std::size_t(0)]() mutable -> std::optional<Finding> {
            dfold_finding finding;
            if (dfold_reader_finding(reader, at++, &finding) != DFOLD_OK) return std::nullopt;
            return Finding(finding);
        };
        return detail::Range<Finding, decltype(next)>(next);
    }
    dfold_state state(std::error_code *ec = nullptr) const {
        dfold_state state = {};
        detail::has_result(dfold_reader_state(get(), &state), get(), ec);
        return state;
    }
    std::string save(std::error_code *ec = nullptr) const {
        dfold_bytes saved;
        if (!detail::has_result(dfold_reader_save(get(), &saved), get(), ec)) return {};
        return std::string(text(saved));
    }
    /** The handle, for the functions of deltafold.h; this object keeps the ownership. */
    dfold_reader *get() const noexcept { return reader_.get(); }

  private:
    explicit Reader(dfold_reader *reader) noexcept : reader_(reader) {}
    Events after(dfold_status status, std::error_code *ec) {
        const bool fed = detail::has_result(status, get(), ec);
        return Events(Poll{get(), ec, !fed});
    }

    detail::Owned<dfold_reader> reader_;
};

/** The options of a writer; `id` is required. */
struct WriterOptions : dfold_writer_options {
    WriterOptions() noexcept : dfold_writer_options() { dfold_writer_options_init(this, sizeof(dfold_writer_options)); }
    explicit WriterOptions(std::string_view response_id, std::string_view model_name = {}, std::uint64_t seconds = 0)
        : WriterOptions() {
        id = bytes(response_id);
        model = bytes(model_name);
        created_at = seconds;
    }
};

/** Writes one response as a valid stream. An intent that fails writes nothing. */
class Writer {
  public:
    using Item = std::uint32_t;

    explicit Writer(const WriterOptions &options, std::error_code *ec = nullptr) {
        dfold_writer *writer = nullptr;
        detail::check_created(dfold_writer_new(&options, &writer), dfold_problem(), ec);
        writer_.reset(writer);
    }
    static Writer from_json(std::string_view options, std::error_code *ec = nullptr) {
        dfold_writer *writer = nullptr;
        dfold_problem problem = {};
        detail::check_created(dfold_writer_new_json(bytes(options), &problem, &writer), problem, ec);
        return Writer(writer);
    }

    void start(std::error_code *ec = nullptr) { check(dfold_writer_start(get()), ec); }
    void queue(std::error_code *ec = nullptr) { check(dfold_writer_queue(get()), ec); }
    void set_now(std::uint64_t seconds, std::error_code *ec = nullptr) { check(dfold_writer_set_now(get(), seconds), ec); }
    Item message(std::error_code *ec = nullptr) { return opened([&](Item *item) { return dfold_writer_message(get(), item); }, ec); }
    Item reasoning(std::error_code *ec = nullptr) { return opened([&](Item *item) { return dfold_writer_reasoning(get(), item); }, ec); }
    Item function_call(std::string_view call_id, std::string_view name, std::error_code *ec = nullptr) {
        return opened([&](Item *item) { return dfold_writer_function_call(get(), bytes(call_id), bytes(name), item); }, ec);
    }
    Item custom_tool_call(std::string_view call_id, std::string_view name, std::error_code *ec = nullptr) {
        return opened([&](Item *item) { return dfold_writer_custom_tool_call(get(), bytes(call_id), bytes(name), item); }, ec);
    }
    Item open(std::string_view type, std::string_view fields_json, std::error_code *ec = nullptr) {
        return opened([&](Item *item) { return dfold_writer_open(get(), bytes(type), bytes(fields_json), item); }, ec);
    }
    void text(Item item, std::string_view delta, std::error_code *ec = nullptr) { check(dfold_writer_text(get(), item, bytes(delta)), ec); }
    void refusal(Item item, std::string_view delta, std::error_code *ec = nullptr) {
        check(dfold_writer_refusal(get(), item, bytes(delta)), ec);
    }
    void reasoning_text(Item item, std::string_view delta, std::error_code *ec = nullptr) {
        check(dfold_writer_reasoning_text(get(), item, bytes(delta)), ec);
    }
    void reasoning_summary(Item item, std::string_view delta, std::error_code *ec = nullptr) {
        check(dfold_writer_reasoning_summary(get(), item, bytes(delta)), ec);
    }
    void arguments(Item item, std::string_view delta, std::error_code *ec = nullptr) {
        check(dfold_writer_arguments(get(), item, bytes(delta)), ec);
    }
    void input(Item item, std::string_view delta, std::error_code *ec = nullptr) { check(dfold_writer_input(get(), item, bytes(delta)), ec); }
    void close(Item item, std::error_code *ec = nullptr) { check(dfold_writer_close(get(), item), ec); }
    void complete(const std::optional<dfold_usage> &usage = std::nullopt, std::error_code *ec = nullptr) {
        check(dfold_writer_complete(get(), usage ? &*usage : nullptr), ec);
    }
    void incomplete(std::string_view reason, const std::optional<dfold_usage> &usage = std::nullopt, std::error_code *ec = nullptr) {
        check(dfold_writer_incomplete(get(), bytes(reason), usage ? &*usage : nullptr), ec);
    }
    void cancel(std::error_code *ec = nullptr) { check(dfold_writer_cancel(get()), ec); }
    void fail(std::string_view type, std::string_view code, std::string_view message, std::error_code *ec = nullptr) {
        check(dfold_writer_fail(get(), bytes(type), bytes(code), bytes(message)), ec);
    }
    void heartbeat(std::error_code *ec = nullptr) { check(dfold_writer_heartbeat(get()), ec); }
    /** Runs any intent, given as a JSON object; returns the item that it opened, if any. */
    std::optional<Item> apply(std::string_view intent_json, std::error_code *ec = nullptr) {
        Item item = DFOLD_NO_ITEM;
        const dfold_bytes view = bytes(intent_json);
        check(dfold_writer_apply_json(get(), view.data, view.len, &item), ec);
        return item == DFOLD_NO_ITEM ? std::nullopt : std::optional<Item>(item);
    }

    /** The SSE bytes written since the last take; valid until the next one. */
    std::string_view take(std::error_code *ec = nullptr) {
        dfold_bytes taken;
        if (!detail::has_result(dfold_writer_take(get(), &taken), get(), ec)) return {};
        return deltafold::text(taken);
    }
    /** The JSON text of the next event; empty if no event is left. */
    std::optional<std::string_view> poll(std::error_code *ec = nullptr) {
        dfold_bytes json;
        if (!detail::has_result(dfold_writer_poll(get(), &json), get(), ec)) return std::nullopt;
        return deltafold::text(json);
    }
    std::string_view response_json(std::error_code *ec = nullptr) const {
        dfold_bytes json;
        if (!detail::has_result(dfold_writer_response_json(get(), &json), get(), ec)) return {};
        return deltafold::text(json);
    }
    dfold_progress progress(std::error_code *ec = nullptr) const {
        dfold_progress progress = {};
        detail::has_result(dfold_writer_progress(get(), &progress), get(), ec);
        return progress;
    }
    dfold_writer *get() const noexcept { return writer_.get(); }

  private:
    explicit Writer(dfold_writer *writer) noexcept : writer_(writer) {}
    void check(dfold_status status, std::error_code *ec) { detail::has_result(status, get(), ec); }
    template <typename Open>
    Item opened(Open open, std::error_code *ec) {
        Item item = DFOLD_NO_ITEM;
        check(open(&item), ec);
        return item;
    }

    detail::Owned<dfold_writer> writer_;
};

/** Converts a stream from one dialect to another. */
class Converter {
  public:
    /** `{"from":"anthropic","to":"open-responses","options":{…}}` */
    explicit Converter(std::string_view options_json, std::error_code *ec = nullptr) {
        dfold_converter *converter = nullptr;
        dfold_problem problem = {};
        detail::check_created(dfold_converter_new(bytes(options_json), &problem, &converter), problem, ec);
        converter_.reset(converter);
    }

    /** Feeds bytes of the source and returns the bytes of the target that are ready; valid until the next feed, finish or cancel. */
    std::string_view feed(std::string_view chunk, std::error_code *ec = nullptr) {
        const dfold_bytes view = bytes(chunk);
        return after(dfold_converter_feed(get(), view.data, view.len), ec);
    }
    std::string_view finish(std::error_code *ec = nullptr) { return after(dfold_converter_finish(get()), ec); }
    std::string_view cancel(std::error_code *ec = nullptr) { return after(dfold_converter_cancel(get()), ec); }
    /** The bytes that are ready, also after an error. */
    std::string_view take() noexcept {
        dfold_bytes taken;
        return dfold_converter_take(get(), &taken) == DFOLD_OK ? text(taken) : std::string_view();
    }
    /** The report on data that was lost, repaired or assumed, as a JSON object. */
    std::string_view report(std::error_code *ec = nullptr) const {
        dfold_bytes json;
        if (!detail::has_result(dfold_converter_report(get(), &json), get(), ec)) return {};
        return text(json);
    }
    dfold_converter *get() const noexcept { return converter_.get(); }

  private:
    std::string_view after(dfold_status status, std::error_code *ec) {
        detail::has_result(status, get(), ec);
        return take();
    }

    detail::Owned<dfold_converter> converter_;
};

/** Reads one JSON value that arrives in pieces. */
class PartialJson {
  public:
    explicit PartialJson(std::string_view options_json = {}, std::error_code *ec = nullptr) {
        dfold_partial *partial = nullptr;
        dfold_problem problem = {};
        detail::check_created(dfold_partial_new(bytes(options_json), &problem, &partial), problem, ec);
        partial_.reset(partial);
    }

    void push(std::string_view piece, std::error_code *ec = nullptr) {
        const dfold_bytes view = bytes(piece);
        detail::has_result(dfold_partial_push(get(), view.data, view.len), get(), ec);
    }
    void finish(std::error_code *ec = nullptr) { detail::has_result(dfold_partial_finish(get()), get(), ec); }
    void reset(std::error_code *ec = nullptr) { detail::has_result(dfold_partial_reset(get()), get(), ec); }
    /** The value so far as complete JSON text; empty before the value begins. */
    std::optional<std::string_view> value(std::error_code *ec = nullptr) const {
        dfold_bytes json;
        if (!detail::has_result(dfold_partial_value(get(), &json), get(), ec)) return std::nullopt;
        return text(json);
    }
    bool is_complete() const noexcept {
        bool complete = false;
        return dfold_partial_is_complete(get(), &complete) == DFOLD_OK && complete;
    }
    dfold_partial *get() const noexcept { return partial_.get(); }

  private:
    detail::Owned<dfold_partial> partial_;
};

/** Decodes an event stream into frames, comments and blank blocks. */
class SseDecoder {
  public:
    struct Next {
        dfold_sse *decoder;
        dfold_bytes chunk;
        std::error_code *ec;
        std::size_t at;

        std::optional<dfold_signal> operator()() {
            dfold_signal signal;
            if (!detail::has_result(dfold_sse_next(decoder, chunk.data, chunk.len, &at, &signal), decoder, ec)) {
                return std::nullopt;
            }
            return signal;
        }
    };
    using Signals = detail::Range<dfold_signal, Next>;

    explicit SseDecoder(std::string_view limits_json = {}, std::error_code *ec = nullptr) {
        dfold_sse *decoder = nullptr;
        dfold_problem problem = {};
        detail::check_created(dfold_sse_new_json(bytes(limits_json), &problem, &decoder), problem, ec);
        decoder_.reset(decoder);
    }

    /** Decodes a chunk: `for (const dfold_signal &signal : decoder.feed(chunk))`. The chunk must outlive the range, and the loop
     * must run to the end of the range. */
    Signals feed(std::string_view chunk, std::error_code *ec = nullptr) { return Signals(Next{get(), bytes(chunk), ec, 0}); }
    void reset(std::error_code *ec = nullptr) { detail::has_result(dfold_sse_reset(get()), get(), ec); }
    dfold_sse *get() const noexcept { return decoder_.get(); }

  private:
    detail::Owned<dfold_sse> decoder_;
};

/** The result of a check of a stream or an object. */
class Report {
  public:
    explicit Report(dfold_report *report) noexcept : report_(report) {}

    dfold_summary summary(std::error_code *ec = nullptr) const {
        dfold_summary summary = {};
        detail::has_result(dfold_report_summary(report_.get(), &summary), report_.get(), ec);
        return summary;
    }
    auto findings() const {
        auto next = [report = report_.get(), at = std::size_t(0)]() mutable -> std::optional<Finding> {
            dfold_finding finding;
            if (dfold_report_finding(report, at++, &finding) != DFOLD_OK) return std::nullopt;
            return Finding(finding);
        };
        return detail::Range<Finding, decltype(next)>(next);
    }
    std::string_view json(std::error_code *ec = nullptr) const { return show(dfold_report_json, ec); }
    std::string_view text(std::error_code *ec = nullptr) const { return show(dfold_report_text, ec); }

  private:
    template <typename Getter>
    std::string_view show(Getter getter, std::error_code *ec) const {
        dfold_bytes shown;
        if (!detail::has_result(getter(report_.get(), &shown), report_.get(), ec)) return {};
        return deltafold::text(shown);
    }

    detail::Owned<dfold_report> report_;
};

/** Checks a whole stream; options are a JSON object as for Reader::from_json. */
inline Report check(std::string_view stream, std::string_view options_json = {}, std::error_code *ec = nullptr) {
    dfold_report *report = nullptr;
    dfold_problem problem = {};
    const dfold_bytes view = bytes(stream);
    detail::check_created(dfold_check(view.data, view.len, bytes(options_json), &problem, &report), problem, ec);
    return Report(report);
}

/** Checks a JSON text as the named kind of object: `request`, `response`, `item`, `event`, …; see dfold_validate. */
inline Report validate(std::string_view what, std::string_view json, std::string_view options_json = {}, std::error_code *ec = nullptr) {
    dfold_report *report = nullptr;
    dfold_problem problem = {};
    detail::check_created(dfold_validate(bytes(what), bytes(json), bytes(options_json), &problem, &report), problem, ec);
    return Report(report);
}

/** Runs one operation on requests; takes and returns a JSON object: `history`, `enforce`, `tool_loop`, `advice`,
 * `create_message`; see dfold_request. */
inline std::string request(std::string_view what, std::string_view json, std::error_code *ec = nullptr) {
    dfold_text *made = nullptr;
    dfold_problem problem = {};
    if (!detail::check_created(dfold_request(bytes(what), bytes(json), &problem, &made), problem, ec)) return {};
    const detail::Owned<dfold_text> owned(made);
    dfold_bytes view;
    if (!detail::has_result(dfold_text_view(made, &view), made, ec)) return {};
    return std::string(text(view));
}

/** Builds the request that continues after responses: `{"policy", "request", "steps"}` to `{"request", "findings"}`. */
inline std::string history(std::string_view json, std::error_code *ec = nullptr) { return request("history", json, ec); }
/** Decides which calls of a response may be run: `{"request", "response"}` to `{"calls"}`. */
inline std::string enforce(std::string_view json, std::error_code *ec = nullptr) { return request("enforce", json, ec); }
/** Recommends whether and how to retry after an error: `{"error", "status", "headers"}` to the report. */
inline std::string advice(std::string_view json, std::error_code *ec = nullptr) { return request("advice", json, ec); }
/** Builds the WebSocket message that requests a response: `{"request"}` to `{"message", "left_out"}`. */
inline std::string create_message(std::string_view json, std::error_code *ec = nullptr) {
    return request("create_message", json, ec);
}

/** The state of a conversation with tools; see dfold_tool_loop. It sends nothing and runs no tool. */
class ToolLoop {
  public:
    /** A call of the last response. Its texts are copies because the views of the loop end with the next call on it. */
    struct Call {
        std::size_t index;
        std::string type, call_id, name, arguments, reason, detail, item, answer;
    };

    /** Options are `{"request", "policy", "max_turns", "max_calls"}`. */
    explicit ToolLoop(std::string_view options_json, std::error_code *ec = nullptr) {
        dfold_tool_loop *made = nullptr;
        dfold_problem problem = {};
        detail::check_created(dfold_tool_loop_new(bytes(options_json), &problem, &made), problem, ec);
        loop_.reset(made);
    }

    /** Adds the finished response to the request, as JSON text. */
    void apply(std::string_view response, std::error_code *ec = nullptr) {
        detail::has_result(dfold_tool_loop_apply(get(), bytes(response)), get(), ec);
    }
    /** Adds the result of a pending call, as JSON text. */
    void result(std::string_view call_id, std::string_view json, std::error_code *ec = nullptr) {
        detail::has_result(dfold_tool_loop_result(get(), bytes(call_id), bytes(json)), get(), ec);
    }
    void stop(std::error_code *ec = nullptr) { detail::has_result(dfold_tool_loop_stop(get()), get(), ec); }
    dfold_loop_state state(std::error_code *ec = nullptr) const {
        dfold_loop_state state = {};
        detail::has_result(dfold_tool_loop_state(get(), &state), get(), ec);
        return state;
    }
    /** The calls without a result, in order. */
    std::vector<Call> pending(std::error_code *ec = nullptr) const { return calls(dfold_tool_loop_pending, ec); }
    /** The calls of the last response that must not be run, in order. */
    std::vector<Call> rejected(std::error_code *ec = nullptr) const { return calls(dfold_tool_loop_rejected, ec); }
    /** The next request to send, as JSON text; valid until the next call on the loop. */
    std::string_view request(std::error_code *ec = nullptr) const { return show(dfold_tool_loop_request, ec); }
    /** The whole state as JSON text; valid until the next call on the loop. */
    std::string_view json(std::error_code *ec = nullptr) const { return show(dfold_tool_loop_json, ec); }
    dfold_tool_loop *get() const noexcept { return loop_.get(); }

  private:
    template <typename Getter>
    std::string_view show(Getter getter, std::error_code *ec) const {
        dfold_bytes shown;
        if (!detail::has_result(getter(get(), &shown), get(), ec)) return {};
        return text(shown);
    }
    template <typename Getter>
    std::vector<Call> calls(Getter getter, std::error_code *ec) const {
        std::vector<Call> found;
        dfold_call call;
        auto copy = [](dfold_bytes view) { return std::string(text(view)); };
        while (detail::has_result(getter(get(), found.size(), &call), get(), ec)) {
            found.push_back(Call{call.index, copy(call.type), copy(call.call_id), copy(call.name), copy(call.arguments),
                                 copy(call.reason), copy(call.detail), copy(call.item), copy(call.answer)});
        }
        return found;
    }

    detail::Owned<dfold_tool_loop> loop_;
};

/** Detects the dialect of a stream from its first bytes; empty if more bytes are needed or no dialect matches. */
inline std::string_view detect(std::string_view start) noexcept {
    const dfold_bytes view = bytes(start);
    return text(dfold_detect(view.data, view.len));
}

/** Tells whether a name can be the type of an extension event or item: `slug:name`. */
inline bool is_valid_extension_type(std::string_view name) noexcept { return dfold_is_valid_extension_type(bytes(name)) == 1; }

/** Tells whether a status of an item is final: no further event changes the item. */
inline bool is_terminal_status(std::string_view status) noexcept { return dfold_is_terminal_status(bytes(status)) == 1; }

/** Tells whether a status of an item says that the item is complete. */
inline bool is_success_status(std::string_view status) noexcept { return dfold_is_success_status(bytes(status)) == 1; }

} // namespace deltafold

#endif
