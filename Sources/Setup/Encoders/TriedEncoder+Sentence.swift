public import Media

extension TriedEncoder {
    /// The result of the encoder's trial, as a sentence for people.
    public var sentence: String {
        switch outcome {
        case .fails(let reason): return "it is not used: \(reason.printable(limit: 1000))"
        case .works(let figures):
            let sizes = figures.sizes.map(\.description).joined(separator: ", ")
            // Frames of the size that recordings mostly have.
            let rate = Int(rounding: figures.pixelsPerSecond / (1920 * 1080), .towardZero)
            let tags = figures.lacksColorTags ? " What its colours mean is written into its stream." : ""
            return "\(encoder.name) (\(encoder.device.printable())) works: \(sizes), as many pixels as "
                + "\(rate) frames of 1920x1080 a second, \(figures.streams) "
                + "\(figures.streams == 1 ? "stream" : "streams") at once.\(tags)"
        }
    }
}
