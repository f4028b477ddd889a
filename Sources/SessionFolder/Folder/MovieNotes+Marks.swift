package import Containers
internal import Media

extension MovieNotes {
    /// Makes a chapter of each mark; a mark without words is called by its number. Marks of one instant, of which players show one
    /// chapter, have the words of all of them.
    ///
    /// - Parameter marks: The marks, in any order; times count from T0, and so do the chapters'.
    package init(_ marks: [Manifest.Mark]) {
        let ordered = marks.sorted { $0.at_ns < $1.at_ns }
        let words = Dictionary(grouping: ordered, by: \.at_ns).mapValues { marks in
            marks.map { String($0.text.printable().trimmingPrefix { $0.isWhitespace }) }.filter {
                !$0.isEmpty
            }
            .joined(separator: ", ")
        }
        self.init(
            chapters: ordered.enumerated().map { index, mark in
                let words = words[mark.at_ns, default: ""]
                return Chapter(
                    start: MediaTime(nanoseconds: mark.at_ns),
                    title: words.isEmpty ? "Mark \(index + 1)" : words)
            })
    }
}
