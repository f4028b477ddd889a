/// One frame or packet of audio with its position in a file. Times are in ticks of its track since T0.
struct PlacedSample: Equatable {
    let offset: Int64
    let byteCount: UInt32
    let decode: Int64
    /// Ticks from decoding to showing.
    let compositionOffset: UInt32
    var duration: Int64
    let isKey: Bool

    var presentation: Int64 { decode + Int64(compositionOffset) }
    var end: Int64 { presentation + duration }
    var range: Range<Int64> { offset..<offset + Int64(byteCount) }
}

extension PlacedSample {
    /// A copy that is `ticks` later.
    func moved(by ticks: Int64) -> Self {
        ticks == 0
            ? self
            : Self(
                offset: offset, byteCount: byteCount, decode: decode + ticks,
                compositionOffset: compositionOffset, duration: duration, isKey: isKey)
    }
}
