/// Names of the files that continue a track's first file: `cameras/desk-2.mov` comes after `cameras/desk.mov`.
///
/// The recorder and the recovery both ask here, so that a recovery finds every file that a recorder makes.
public enum PartName {
    /// The first name after a number that no other track has: cameras `desk` and `desk-2` may both be there.
    ///
    /// - Parameters:
    ///   - number: Of the part before it; 1 is the first file.
    ///   - first: The track's first file.
    ///   - taken: The files of other tracks.
    /// - Returns: The name with its number.
    package static func next(
        after number: Int, of first: String, besides taken: Set<String>
    ) -> (name: String, number: Int) {
        let (stem, ending) = split(first)
        var number = number + 1
        while taken.contains("\(stem)-\(number)\(ending)") { number += 1 }
        return ("\(stem)-\(number)\(ending)", number)
    }

    /// The number in a name that continues a track's first file; `nil` where it does not.
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
