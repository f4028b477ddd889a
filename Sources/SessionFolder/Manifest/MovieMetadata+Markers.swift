package import MulticamContainers
internal import MulticamMedia

extension MovieMetadata {
    /// Creates a chapter for each marker. A marker without text gets its number as its name. Players show
    /// only one chapter at a time, so the texts of simultaneous markers are combined.
    ///
    /// - Parameter markers: The markers, in any order. Marker and chapter times are relative to T0.
    package init(_ markers: [Manifest.Marker]) {
        let ordered = markers.sorted { $0.at_ns < $1.at_ns }
        let words = Dictionary(grouping: ordered, by: \.at_ns).mapValues { markers in
            markers.map { String($0.text.printable().trimmingPrefix { $0.isWhitespace }) }.filter {
                !$0.isEmpty
            }
            .joined(separator: ", ")
        }
        self.init(
            chapters: ordered.enumerated().map { index, marker in
                let words = words[marker.at_ns, default: ""]
                return Chapter(
                    start: MediaTime(nanoseconds: marker.at_ns),
                    title: words.isEmpty ? "Marker \(index + 1)" : words)
            })
    }
}
