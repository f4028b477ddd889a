import Arguments
import Media

extension ParsedArguments {
    /// What `--duration` says; `nil` where it is not given.
    func duration() throws(UsageError) -> Nanoseconds? {
        guard let text = optional("duration") else { return nil }
        guard let duration = Nanoseconds(text), duration > .zero else {
            throw spec.error(
                "`--duration \(text.printable())`: expected a time above zero such as 10, 2.5, 500ms, 10s, 5m or 2h."
            )
        }
        return duration
    }
}
