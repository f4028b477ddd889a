extension Fault {
    /// What is known to be wrong with such a fault and is being mended elsewhere; `nil` where it is to be survived now.
    ///
    /// A rule goes as soon as what it names is mended.
    var awaited: String? {
        let seam = Seam(name: seam)
        guard seam.family != "host" else { return nil }
        if Self.numbers.contains(where: { kind.hasSuffix($0) }) { return "arithmetic at 2^31 and 2^63" }
        switch seam.family {
        case "encoder", "repeat", "finish", "parameters": return "encoders of pictures that fail"
        case "sound": return "encoders of sound that fail"
        case "correct", "resampler", "drain", "delay": return "resamplers that fail"
        case "loudness", "momentary": return "loudness that is no number"
        case "microphone" where Rubbish.sounds.contains(kind): return "samples that are no sound"
        default: return nil
        }
    }

    private static let numbers = [
        "min", "max", "Min", "Max", "huge", "Huge", "negative", "noChannels", "manyChannels",
    ]
}
