internal import MulticamMedia

/// Names of the continuation files of a track: `cameras/desk-2.mov` follows `cameras/desk.mov`.
///
/// The recorder and the recovery share this type. The recovery therefore finds every file that a recorder creates.
package enum PartName {
    /// Returns the next name of a continuation file that no other track uses. For example, a name may be in
    /// use if both a camera `desk` and a camera `desk-2` exist.
    ///
    /// - Parameters:
    ///   - number: Number of the previous part; 1 is the first file.
    ///   - first: Name of the track's first file.
    ///   - taken: Files of other tracks.
    /// - Returns: The file name and its number.
    package static func next(
        after number: Int, of first: String, besides taken: Set<String>
    ) -> (name: String, number: Int) {
        let (stem, ending) = split(first)
        var number = number + 1
        while taken.contains("\(stem)-\(number)\(ending)") { number += 1 }
        return ("\(stem)-\(number)\(ending)", number)
    }

    /// Returns the part number in the name of a file that continues `first`, 2 or more; `nil` if a recorder doesn't
    /// produce such a name.
    package static func number(of name: String, continuing first: String) -> Int? {
        let (stem, ending) = split(first)
        guard name.count > stem.count + ending.count, name.hasPrefix(stem + "-"), name.hasSuffix(ending),
            let number = Int(name.dropFirst(stem.count + 1).dropLast(ending.count)), number >= 2
        else { return nil }
        // A recorder never produces `desk-02.mov` or `desk-+2.mov`.
        return name == "\(stem)-\(number)\(ending)" ? number : nil
    }

    private static func split(_ name: String) -> (stem: Substring, ending: Substring) {
        name.lastIndex(of: ".").map { (name[..<$0], name[$0...]) } ?? (name[...], "")
    }
}

/// Checks the names of media files.
enum MediaFileName {
    /// Whether the name has the extension of a media file: `.mp4`, `.mov` or `.wav`.
    static func isMedia(_ name: String) -> Bool {
        [".mp4", ".mov", ".wav"].contains { name.hasSuffix($0) }
    }

    /// Whether a name from a manifest denotes a media file inside the session folder.
    static func isWithin(_ name: String) -> Bool {
        isMedia(name) && name.isSafeRelativePath
    }
}
