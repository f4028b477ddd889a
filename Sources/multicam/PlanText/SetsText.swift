import Media
import Plan
import SessionFolder

/// The sets of cameras that can run together, for people and as JSON.
enum SetsText {
    static func lines(_ sets: CameraSets, notes: [String]) -> [String] {
        var lines: [String] = []
        if sets.groups.isEmpty, sets.outsiders.isEmpty {
            lines.append(
                "no camera is connected. Try synthetic ones: `multicam plan --sets --profile interview --virtual`."
            )
        }
        for (index, group) in sets.groups.enumerated() {
            let count = group.members.count
            lines.append(
                "set \(index + 1): \(count == 1 ? "1 camera" : "\(count) cameras together"), cost "
                    + HardwareCost.hundredths(group.cost.total)
                    + (group.cost.terms.first.map { ", most of all \($0.resource)" } ?? ""))
            for member in group.members {
                let limit =
                    member.limit.map { "more would be too much for \($0)" } ?? "the best that it offers"
                let doubt =
                    member.isAssumed ? "; what it keeps of its USB is assumed until it has streamed" : ""
                lines.append("  \(member.name.printable()): \(member.format), \(limit)\(doubt)")
            }
        }
        if !sets.exclusions.isEmpty { lines += ["", "not together"] }
        lines += sets.exclusions.map {
            "  \($0.first.printable()) and \($0.second.printable()): \($0.resource.printable()) "
                + HardwareCost.hundredths($0.cost)
        }
        if !sets.outsiders.isEmpty { lines += ["", "not at all"] }
        lines += sets.outsiders.map { "  \($0.name.printable()): \($0.reason.printable(limit: 1000))" }
        if !sets.isComplete { lines += ["", "There are more sets than were looked at: name fewer cameras."] }
        return lines + notes.map { "note: \($0.printable(limit: 1000))" }
    }

    static func json(_ sets: CameraSets, notes: [String]) -> JSONValue {
        .object([
            "sets": .array(sets.groups.map(json)),
            "exclusions": .array(
                sets.exclusions.map {
                    .object([
                        "cameras": .array([.string($0.first.printable()), .string($0.second.printable())]),
                        "resource": .string($0.resource.printable()), "used": .number($0.cost),
                    ])
                }),
            "impossible": .array(
                sets.outsiders.map {
                    .object([
                        "camera": .string($0.name.printable()),
                        "reason": .string($0.reason.printable(limit: 1000)),
                    ])
                }),
            "complete": .boolean(sets.isComplete),
            "notes": .array(notes.map { .string($0.printable(limit: 1000)) }),
        ])
    }

    private static func json(_ group: CameraSets.Group) -> JSONValue {
        .object([
            "cost": CostText.json(group.cost, notes: []),
            "cameras": .array(
                group.members.map { member in
                    .object([
                        "name": .string(member.name.printable()),
                        "format": .object([
                            "pixel": .string(member.format.pixel.rawValue),
                            "width": .integer(Int64(member.format.size.width)),
                            "height": .integer(Int64(member.format.size.height)),
                            "rate": .number(member.format.rate.perSecond),
                        ]),
                        "limit": member.limit.map { .string($0) } ?? .null,
                        "assumed": .boolean(member.isAssumed),
                    ])
                }),
        ])
    }
}
