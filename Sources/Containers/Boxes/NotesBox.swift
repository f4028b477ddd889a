import Media

/// Writes a movie's notes where players look for them (`udta`): title, date and cover as iTunes has them, and the list of
/// chapters that Nero introduced (`chpl`), for players without QuickTime's chapter tracks.
struct NotesBox {
    let notes: MovieNotes
    /// The chapters, as `MovieNotes.chapters(until:)` orders them.
    let chapters: [MovieNotes.Chapter]

    /// Kinds of a value (iTunes metadata: well-known types).
    private enum Kind: UInt32 {
        case text = 1
        case jpeg = 13
    }

    func write(into buffer: inout BoxBuffer) {
        let fields: [(String, Kind, [UInt8])] = [
            ("©nam", .text, notes.title.map { Array($0.utf8) }),
            ("©day", .text, notes.date.map { Array($0.utf8) }),
            ("covr", .jpeg, notes.cover.map { Array($0.bytes) }),
        ].compactMap { name, kind, value in value.map { (name, kind, $0) } }
        guard !fields.isEmpty || !chapters.isEmpty else { return }
        buffer.box("udta") { user in
            if !chapters.isEmpty { writeChapters(into: &user) }
            guard !fields.isEmpty else { return }
            user.fullBox("meta") { meta in
                meta.fullBox("hdlr") { handler in
                    handler.put32(0)
                    handler.put(code: "mdir")
                    handler.put(code: "appl")
                    handler.putZeros(9)
                }
                meta.box("ilst") { list in
                    for (name, kind, value) in fields {
                        list.box(name) { item in
                            item.box("data") { data in
                                data.put32(kind.rawValue)
                                data.put32(0)  // any language
                                data.put(value)
                            }
                        }
                    }
                }
            }
        }
    }

    private func writeChapters(into buffer: inout BoxBuffer) {
        buffer.fullBox("chpl", version: 1) { box in
            box.put32(0)
            box.put8(UInt8(clamping: chapters.count))
            for chapter in chapters {
                box.put64(UInt64(max(0, chapter.start.nanoseconds / 100)))  // in units of 100 ns
                box.put8(UInt8(clamping: chapter.title.utf8.count))
                box.put(chapter.title.utf8)
            }
        }
    }
}
