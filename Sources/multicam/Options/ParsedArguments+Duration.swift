import Arguments
import Media

extension ParsedArguments {
    /// The value of `--duration`; `nil` when it is not given.
    ///
    /// - Throws: `UsageError` when it is no time above zero.
    func duration() throws(UsageError) -> Nanoseconds? {
        guard let text = optional("duration") else { return nil }
        guard let duration = Nanoseconds(text), duration > .zero else {
            throw spec.error(
                "`--duration \(text.printable())`: expected a time above zero such as 10, 2.5, 500ms, 10s, 90min, 1h30m or 1:30."
            )
        }
        return duration
    }

    /// The value of an option that takes a time; `nil` when it is not given.
    ///
    /// - Throws: `UsageError` when it is no time, or outside the range.
    func time(
        _ option: String, in range: ClosedRange<Nanoseconds>
    ) throws(UsageError) -> Nanoseconds? {
        guard let text = optional(option) else { return nil }
        guard let time = Nanoseconds(text), range.contains(time) else {
            throw spec.error(
                "`--\(option) \(text.printable())`: expected a time from \(range.lowerBound.text) to "
                    + "\(range.upperBound.text), for example 1.5s.")
        }
        return time
    }
}
