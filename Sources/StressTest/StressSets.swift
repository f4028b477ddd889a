package import MulticamMedia

/// Determines the sets of cameras to test, and their order. This value type has no side effects: it receives results
/// and returns the next set.
///
/// In each grade, all cameras are tested together first. If all cameras pass together, every subset is assumed to pass,
/// too. If the test fails, each camera is tested separately, then pairs of cameras that passed, and then larger sets if
/// all their subsets passed. A set with a failed subset need not be tested.
package struct StressSets: Sendable {
    /// A set of cameras to test.
    package struct Candidate: Sendable, Equatable {
        /// The name of the grade to which the set belongs.
        package let grade: String
        /// The cameras with their formats, in the profile's order.
        package let cameras: [(role: String, format: VideoFormat)]

        /// The roles of the cameras.
        package var roles: [String] { cameras.map(\.role) }

        /// Whether two sets have the same grade, cameras, and formats.
        package static func == (lhs: Self, rhs: Self) -> Bool {
            lhs.grade == rhs.grade && lhs.roles == rhs.roles
                && lhs.cameras.map(\.format) == rhs.cameras.map(\.format)
        }
    }

    private let roles: [String]
    private let grades: [StressGrade]
    private let limit: Int
    private var tried = 0
    /// The untested sets of the current stage, in reverse order, so that the next set is the last element.
    private var waiting: [Candidate] = []
    /// The current stage: 0 for the set of all cameras, k for sets of k cameras.
    private var stage = 0
    /// The sets that passed, as lists of roles, by grade.
    private var passed: [String: Set<[String]>] = [:]
    private var done: Set<String> = []
    /// Whether a set was omitted because one of its subsets failed.
    private var hasPruned = false

    /// The default limit. 40 runs of 5 s take five minutes including startup, which is about the longest
    /// acceptable wait.
    package static let defaultLimit = 40

    /// Creates the sequence of sets to test.
    ///
    /// - Parameters:
    ///   - roles: The profile's cameras in order.
    ///   - grades: The grades to test.
    ///   - limit: Maximum number of sets to test.
    package init(roles: [String], grades: [StressGrade], limit: Int = defaultLimit) {
        self.roles = roles
        self.grades = grades
        self.limit = limit
        waiting = grades.map { Self.candidate($0, roles) }.reversed()
    }

    /// Returns the next set to test; `nil` if all results are known or the limit is reached.
    package mutating func next() -> Candidate? {
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

    /// Records the result of the set that `next` returned.
    package mutating func record(_ candidate: Candidate, passed isHeld: Bool) {
        if stage == 0, isHeld || candidate.cameras.count == 1 { done.insert(candidate.grade) }
        if isHeld { passed[candidate.grade, default: []].insert(candidate.roles) }
    }

    /// The reasons why some combinations weren't tested, one sentence each.
    package var omissions: [String] {
        var sentences: [String] = []
        let wholes = grades.filter { grade in
            let roles = present(grade)
            return roles.count > 1 && (passed[grade.name]?.contains(roles) ?? false)
        }
        if !wholes.isEmpty {
            let names = wholes.map(\.name).joined(separator: ", ")
            sentences.append(
                "With formats in which all cameras passed together (\(names)), smaller sets were not tested, because they need fewer resources."
            )
        }
        for grade in grades {
            let without = roles.filter { grade.formats[$0] == nil }
            if !without.isEmpty {
                sentences.append(
                    "\(without.joined(separator: ", ")) \(without.count == 1 ? "was" : "were") not tested with “\(grade.name)” formats, because \(without.count == 1 ? "this camera does" : "these cameras do") not offer any."
                )
            }
        }
        if hasPruned {
            sentences.append("Sets with a failed subset were not tested, because they need more resources.")
        }
        if tried >= limit, !waiting.isEmpty || stage + 1 < roles.count {
            let kind = stage == 0 ? "of all cameras" : stage == 1 ? "of one camera" : "of \(stage) cameras"
            let rest = waiting.isEmpty ? "" : "\(waiting.count) more sets \(kind) and "
            sentences.append(
                "At most \(limit) sets are tested. Skipped: \(rest)all \(stage == 0 ? "smaller" : "larger") sets."
            )
        }
        return sentences
    }

    private func present(_ grade: StressGrade) -> [String] { roles.filter { grade.formats[$0] != nil } }

    /// Returns the sets of `count` cameras whose subsets have all passed. The set of all cameras is omitted,
    /// because it has already been tested.
    private func sets(of count: Int, in grade: StressGrade) -> [Candidate] {
        let present = present(grade)
        guard count < present.count else { return [] }
        guard count > 1 else { return present.map { Self.candidate(grade, [$0]) } }
        let parts = passed[grade.name] ?? []
        var sets: [[String]] = []
        // Each new set is made by adding one camera after the last camera of a smaller set.
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

    /// Returns the number of sets of `count` cameras among `all`, capped at `Int.max`.
    private static func choices(_ count: Int, of all: Int) -> Int {
        var choices = 1
        for index in 0..<count {
            let (product, isBeyond) = choices.multipliedReportingOverflow(by: all - index)
            if isBeyond { return .max }
            choices = product / (index + 1)
        }
        return choices
    }

    /// Returns the positions of a set's cameras in the profile, as a sort key.
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

/// A rule that assigns a format to each camera of a set, for example the best compressed format. Each grade
/// is one row of the table of sets.
package struct StressGrade: Sendable, Equatable {
    /// The grade's name, such as `as configured`, `best compressed`, or `up to 720p30 raw`.
    package let name: String
    /// The format of each camera, by role. Cameras without a suitable format are omitted.
    package let formats: [String: VideoFormat]

    /// Creates a grade from its name and formats.
    package init(name: String, formats: [String: VideoFormat]) {
        self.name = name
        self.formats = formats
    }

    /// Name of the grade with the profile's formats.
    package static let asConfigured = "as configured"

    private static let heights = [1080, 720, 480]
    private static let rate: FrameRate = FrameRate(30)

    /// Returns the grades worth testing, each with different formats: first the profile's formats, then compressed and
    /// raw formats in descending order of quality.
    ///
    /// - Parameter offers: The formats of each camera.
    /// - Returns: The grades. The list contains at least one grade.
    package static func all(_ offers: [StressOffer]) -> [StressGrade] {
        var grades = [
            StressGrade(
                name: asConfigured,
                formats: Dictionary(uniqueKeysWithValues: offers.map { ($0.role, $0.requested) }))
        ]
        func add(_ name: String, _ choose: (StressOffer) -> VideoFormat?) {
            var formats: [String: VideoFormat] = [:]
            for offer in offers { formats[offer.role] = choose(offer) }
            guard !formats.isEmpty, !grades.contains(where: { $0.formats == formats }) else { return }
            grades.append(StressGrade(name: name, formats: formats))
        }
        for (word, isCompressed) in [("compressed", true), ("raw", false)] {
            add("best \(word)") { best($0.modes(compressed: isCompressed)) }
            for height in heights {
                add("up to \(height)p\(rate) \(word)") {
                    nearest($0.modes(compressed: isCompressed), height: height)
                }
            }
        }
        return grades
    }

    /// Returns the format with the largest size and the highest rate available at that size.
    private static func best(_ modes: [StressOffer.Mode]) -> VideoFormat? {
        modes.last.map { VideoFormat(pixel: $0.pixel, size: $0.size, rate: $0.rates[$0.rates.count - 1]) }
    }

    /// Returns the format with the largest size that doesn't exceed the pixel count of a 16:9 frame of the
    /// given height. If all sizes exceed this count, returns the smallest size. The rate is the lowest rate
    /// that is at least 30 frames per second.
    private static func nearest(_ modes: [StressOffer.Mode], height: Int) -> VideoFormat? {
        let most = height * height * 16 / 9
        let mode = modes.last { $0.size.pixelCount <= most } ?? modes.first
        return mode?.format(near: rate)
    }
}
