package import Containers
internal import Media

extension MovieNotes {
    /// Makes a chapter of each mark; a mark without words is called by its number.
    ///
    /// - Parameter marks: The marks, in any order; times count from T0, and so do the chapters'.
    package init(_ marks: [Manifest.Mark]) {
        let ordered = marks.sorted { $0.at_ns < $1.at_ns }
        self.init(
            chapters: ordered.enumerated().map { index, mark in
                let words = mark.text.printable().trimmingPrefix { $0.isWhitespace }
                return Chapter(
                    start: MediaTime(nanoseconds: mark.at_ns),
                    title: words.isEmpty ? "Mark \(index + 1)" : String(words))
            })
    }
}
