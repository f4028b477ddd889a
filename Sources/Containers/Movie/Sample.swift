import Media

/// One frame or packet of audio for a movie file. Times are in ticks of its track since T0.
struct Sample {
    let bytes: SharedBytes
    let presentation: Int64
    let decode: Int64
    var duration: Int64
    let isKey: Bool

    /// Ticks from decoding to showing, at least 0.
    var compositionOffset: UInt32 { UInt32(clamping: presentation - decode) }
}
