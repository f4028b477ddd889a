public import Media

/// What a finished movie says of itself besides its tracks: its title, its date, its chapters and a cover.
public struct MovieNotes: Sendable {
    /// A part of the movie with a name of its own. It ends where the next one begins.
    public struct Chapter: Sendable, Equatable {
        /// Beginning of the chapter, since the movie's time 0.
        public let start: MediaTime
        /// Name of the chapter, for people.
        public let title: String

        /// Makes a chapter; each parameter sets the property of its name.
        public init(start: MediaTime, title: String) {
            self.start = start
            self.title = title
        }
    }

    /// Title of the movie; `nil` for none.
    public var title: String?
    /// Day or instant at which the movie was recorded, as ISO 8601 has it; `nil` for none.
    public var date: String?
    /// The chapters, in any order.
    public var chapters: [Chapter]
    /// A JPEG that stands for the movie where it is not played; `nil` for none.
    public var cover: SharedBytes?
    /// Bytes for which room is kept on the disk, as for a cover that comes at the end; 0 for none.
    public var coverRoom = 0

    /// Name of the chapter before the first one that somebody made.
    private static let opening = "Beginning"
    /// Most chapters of a movie, since `chpl` counts them in one byte.
    private static let mostChapters = 255

    /// Makes notes; each parameter sets the property of its name.
    public init(
        title: String? = nil, date: String? = nil, chapters: [Chapter] = [], cover: SharedBytes? = nil
    ) {
        self.title = title
        self.date = date
        self.chapters = chapters
        self.cover = cover
    }

    /// Whether there is nothing to write.
    var isEmpty: Bool { title == nil && date == nil && chapters.isEmpty && cover == nil && coverRoom == 0 }

    /// Upper bound of what writing the notes takes, in bytes.
    var byteCount: Int64 {
        guard !isEmpty else { return 0 }
        let titles = chapters.reduce(0) { $0 + 2 * min($1.title.utf8.count, Self.longestTitle) + 64 }
        return Int64(4096 + titles + max(cover?.count ?? 0, coverRoom))
    }

    /// Most bytes of a chapter's title, since `chpl` counts them in one byte.
    private static let longestTitle = 255

    /// The chapters as players want them: in order, no two at one time, the first at time 0, all before the end.
    ///
    /// Players take a chapter to last until the next one, so that what is before the first mark is a chapter too.
    ///
    /// - Parameter end: End of the movie, since its time 0.
    /// - Returns: The chapters; none where nobody made one.
    func chapters(until end: MediaTime) -> [Chapter] {
        var ordered: [Chapter] = []
        for chapter in chapters.sorted(by: { $0.start < $1.start }) where chapter.start < end {
            let chapter = Chapter(
                start: max(chapter.start, .zero), title: chapter.title.cut(toBytes: Self.longestTitle))
            if ordered.last?.start == chapter.start { ordered.removeLast() }
            ordered.append(chapter)
        }
        if let first = ordered.first, first.start > .zero {
            ordered.insert(Chapter(start: .zero, title: Self.opening), at: 0)
        }
        return Array(ordered.prefix(Self.mostChapters))
    }
}

extension String {
    /// The longest beginning whose UTF-8 has at most so many bytes, in whole characters.
    fileprivate func cut(toBytes limit: Int) -> String {
        var text = self
        while text.utf8.count > limit { text.removeLast() }
        return text
    }
}
