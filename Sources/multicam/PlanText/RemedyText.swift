import Media
import Plan
import SessionFolder

/// The changes that would make a plan cost less, for people and as JSON.
enum RemedyText {
    /// The lines for people: the most effective remedy of each kind.
    static func lines(_ fixes: PlanRemedies?) -> [String] {
        guard let fixes, !fixes.remedies.isEmpty else { return [] }
        var kinds: Set<Remedy.Effort> = []
        var shown = fixes.remedies.filter { kinds.insert($0.effort).inserted }
        shown += [fixes.together].compactMap { $0 }
        return ["", "what would cost less, the least trouble first"]
            + shown.map { "  \($0.sentence.printable(limit: 1000))" }
    }

    /// All remedies, then their combination when none is enough by itself.
    static func json(_ fixes: PlanRemedies?) -> [JSONValue] {
        guard let fixes else { return [] }
        return (fixes.remedies + [fixes.together].compactMap { $0 }).map { remedy in
            var fields: [String: JSONValue] = [
                "action": .string(remedy.action.printable(limit: 1000)),
                "effort": .string(remedy.effort.rawValue),
                "before": .number(remedy.before), "after": .number(remedy.after),
                "sentence": .string(remedy.sentence.printable(limit: 1000)),
            ]
            if !remedy.edits.isEmpty { fields["set"] = .object(remedy.edits.mapValues { .string($0) }) }
            return .object(fields)
        }
    }
}
