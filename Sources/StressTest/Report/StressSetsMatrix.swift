internal import Plots

/// A table of the sets: a row for each grade, a column for each set.
struct StressSetsMatrix {
    private let runs: [StressCertificate.Run]

    /// The greatest number of columns; more do not fit the page, and the list of runs shows them.
    private static let mostColumns = 12

    init(_ runs: [StressCertificate.Run]) {
        self.runs = runs
    }

    /// The table; `nil` when it has too many columns.
    var html: HTML? {
        var sets: [[String]] = []
        var grades: [String] = []
        for run in runs {
            let roles = run.cameras.map(\.role)
            if !sets.contains(roles) { sets.append(roles) }
            if !grades.contains(run.title) { grades.append(run.title) }
        }
        // Larger sets first; sets of equal size keep the order in which they ran.
        sets.sort { $0.count > $1.count }
        guard !sets.isEmpty, sets.count <= Self.mostColumns else { return nil }
        let rows = grades.map { grade in
            HTML.element(
                "tr", [:],
                [.element("th", ["scope": "row"], grade)] + sets.map { cell(grade, $0) })
        }
        return StressTable.table(["Formats"] + sets.map { $0.joined(separator: " + ") }, rows)
    }

    private func cell(_ grade: String, _ roles: [String]) -> HTML {
        let same = runs.filter { $0.title == grade }
        if let run = same.first(where: { $0.cameras.map(\.role) == roles }) {
            let formats = run.cameras.map { "\($0.width)x\($0.height)@\(Axis.label($0.rate))" }
            let unique = formats.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            return .element(
                "td", [:],
                [StressTable.badge(run), .element("small", [:], unique.joined(separator: ", "))])
        }
        let isPart = same.contains { $0.verdict.isHeld && Set($0.cameras.map(\.role)).isSuperset(of: roles) }
        let hasFailed = same.contains {
            !$0.verdict.isHeld && Set($0.cameras.map(\.role)).isSubset(of: roles)
        }
        return .element(
            "td", ["class": "quiet"],
            isPart ? "held with more" : hasFailed ? "a part failed" : "not tried")
    }
}
