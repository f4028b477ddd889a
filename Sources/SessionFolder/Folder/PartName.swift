/// Names of the files that continue a track's first file: `cameras/desk-2.mov` comes after `cameras/desk.mov`.
///
/// Recorder and recovery both use it, so that a recovery finds every file that a recorder makes.
public enum PartName {
    /// The next name of a continuing file that no other track uses: cameras `desk` and `desk-2` may both exist.
    ///
    /// - Parameters:
    ///   - number: Number of the part before; 1 is the first file.
    ///   - first: Name of the track's first file.
    ///   - taken: Files of other tracks.
    /// - Returns: The name of the file, and its number.
    package static func next(
        after number: Int, of first: String, besides taken: Set<String>
    ) -> (name: String, number: Int) {
        let (stem, ending) = split(first)
        var number = number + 1
        while taken.contains("\(stem)-\(number)\(ending)") { number += 1 }
        return ("\(stem)-\(number)\(ending)", number)
    }

    /// The number in the name of a file that continues `first`, 2 or more; `nil` where the name is not one that a recorder
    /// gives.
    public static func number(of name: String, continuing first: String) -> Int? {
        let (stem, ending) = split(first)
        guard name.count > stem.count + ending.count, name.hasPrefix(stem + "-"), name.hasSuffix(ending),
            let number = Int(name.dropFirst(stem.count + 1).dropLast(ending.count)), number >= 2
        else { return nil }
        // `desk-02.mov` and `desk-+2.mov` are no names that a recorder gives.
        return name == "\(stem)-\(number)\(ending)" ? number : nil
    }

    private static func split(_ name: String) -> (stem: Substring, ending: Substring) {
        name.lastIndex(of: ".").map { (name[..<$0], name[$0...]) } ?? (name[...], "")
    }
}
