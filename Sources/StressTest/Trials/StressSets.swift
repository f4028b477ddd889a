public import Media

/// Decides which sets of cameras to try, in which order. Takes results and gives the next set. A value.
///
/// In each grade all cameras are tried first. When they hold, every part holds too. Otherwise each camera is tried alone, then
/// the pairs of those that held, then larger sets of which every part held: a set with a failed part need not be tried.
public struct StressSets: Sendable {
    /// A set of cameras to try.
    public struct Candidate: Sendable, Equatable {
        /// The name of the set's grade.
        public let grade: String
        /// The cameras with their formats, in the profile's order.
        public let cameras: [(role: String, format: VideoFormat)]

        /// The roles of the cameras.
        public var roles: [String] { cameras.map(\.role) }

        /// Whether two sets have the same grade, cameras and formats.
        public static func == (lhs: Self, rhs: Self) -> Bool {
            lhs.grade == rhs.grade && lhs.roles == rhs.roles
                && lhs.cameras.map(\.format) == rhs.cameras.map(\.format)
        }
    }

    private let roles: [String]
    private let grades: [StressGrade]
    private let limit: Int
    private var tried = 0
    /// The sets of the present stage that are not yet tried; the next one is the last element.
    private var waiting: [Candidate] = []
    /// 0 for the sets of all cameras, k for sets of k cameras.
    private var stage = 0
    /// The sets that held, as roles by grade.
    private var held: [String: Set<[String]>] = [:]
    private var done: Set<String> = []
    /// Whether a set was left out because a part of it failed.
    private var hasPruned = false

    /// The usual limit: 40 runs of 5 s take five minutes with their starts, about as long as people wait.
    public static let usualLimit = 40

    /// Creates the sequence of sets.
    ///
    /// - Parameters:
    ///   - roles: The profile's cameras in their order.
    ///   - grades: The grades to try.
    ///   - limit: The greatest number of sets to try.
    public init(roles: [String], grades: [StressGrade], limit: Int = usualLimit) {
        self.roles = roles
        self.grades = grades
        self.limit = limit
        waiting = grades.map { Self.candidate($0, roles) }.reversed()
    }

    /// The next set to try; `nil` when everything is known or the limit is reached.
    public mutating func next() -> Candidate? {
        guard tried < limit else { return nil }
        while waiting.isEmpty {
            stage += 1
            guard stage < roles.count else { return nil }
            for grade in grades where !done.contains(grade.name) {
                let sets = sets(of: stage, in: grade)
                let present = present(grade).count
                hasPruned = hasPruned || stage < present && sets.count < Self.choices(stage, of: present)
                waiting += sets
            }
            waiting.reverse()
        }
        tried += 1
        return waiting.removeLast()
    }

    /// Takes the result of the set that `next` returned.
    public mutating func note(_ candidate: Candidate, held isHeld: Bool) {
        if stage == 0, isHeld || candidate.cameras.count == 1 { done.insert(candidate.grade) }
        if isHeld { held[candidate.grade, default: []].insert(candidate.roles) }
    }

    /// Why some combinations were not tried, one sentence each.
    public var leftOut: [String] {
        var sentences: [String] = []
        let wholes = grades.filter { grade in
            let roles = present(grade)
            return roles.count > 1 && (held[grade.name]?.contains(roles) ?? false)
        }
        if !wholes.isEmpty {
            let names = wholes.map(\.name).joined(separator: ", ")
            sentences.append(
                "Parts of the whole were not tried where the whole held (\(names)): they need less.")
        }
        for grade in grades {
            let without = roles.filter { grade.formats[$0] == nil }
            if !without.isEmpty {
                sentences.append(
                    "\(without.joined(separator: ", ")) was not tried in “\(grade.name)”: no such format is offered."
                )
            }
        }
        if hasPruned {
            sentences.append("Sets with a part that failed by itself were not tried: they need more.")
        }
        if tried >= limit, !waiting.isEmpty || stage + 1 < roles.count {
            let kind = stage == 0 ? "of all cameras" : stage == 1 ? "of one camera" : "of \(stage) cameras"
            let rest = waiting.isEmpty ? "" : "\(waiting.count) more \(kind) and "
            sentences.append(
                "No more than \(limit) sets are tried: \(rest)\(stage == 0 ? "parts of those" : "larger ones") were left out."
            )
        }
        return sentences
    }

    private func present(_ grade: StressGrade) -> [String] { roles.filter { grade.formats[$0] != nil } }

    /// The sets of `count` cameras of which every smaller set has held; the set of all cameras is left out, because it was tried.
    private func sets(of count: Int, in grade: StressGrade) -> [Candidate] {
        let present = present(grade)
        guard count < present.count else { return [] }
        guard count > 1 else { return present.map { Self.candidate(grade, [$0]) } }
        let parts = held[grade.name] ?? []
        var sets: [[String]] = []
        // Each set extends one that lacks its last camera.
        for part in parts.filter({ $0.count == count - 1 }).sorted(by: { order($0) < order($1) }) {
            guard let last = part.last.flatMap(present.firstIndex) else { continue }
            for role in present[(last + 1)...] {
                let set = part + [role]
                let areAllHeld = set.indices.allSatisfy { index in
                    var part = set
                    part.remove(at: index)
                    return parts.contains(part)
                }
                if areAllHeld { sets.append(set) }
            }
        }
        return sets.map { Self.candidate(grade, $0) }
    }

    /// The number of sets of `count` cameras among `all`; at most `Int.max`.
    private static func choices(_ count: Int, of all: Int) -> Int {
        var choices = 1
        for index in 0..<count {
            let (product, isBeyond) = choices.multipliedReportingOverflow(by: all - index)
            if isBeyond { return .max }
            choices = product / (index + 1)
        }
        return choices
    }

    /// The positions of a set's cameras in the profile, as a string to sort by.
    private func order(_ set: [String]) -> String {
        set.map { role in
            let place = roles.firstIndex(of: role) ?? 0
            return place < 10 ? "0\(place)" : "\(place)"
        }.joined()
    }

    private static func candidate(_ grade: StressGrade, _ roles: [String]) -> Candidate {
        Candidate(
            grade: grade.name,
            cameras: roles.compactMap { role in grade.formats[role].map { (role, $0) } })
    }
}
