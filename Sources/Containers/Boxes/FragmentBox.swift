import MulticamMedia

/// Writes the sample list of a fragment (`moof`, ISO/IEC 14496-12, 8.8.4) and the header of the following
/// `mdat` box, which contains the samples, track by track.
struct FragmentBox {
    /// Number of the fragment, starting at 1.
    let sequence: UInt32
    /// Tracks with pending samples.
    let tracks: [RecordedTrack]

    var bytes: [UInt8] {
        var buffer = BoxBuffer()
        var offsetPlaces: [Int] = []
        buffer.box("moof") { moof in
            moof.fullBox("mfhd") { $0.put32(sequence) }
            for track in tracks { offsetPlaces.append(write(track, into: &moof)) }
        }
        var offset = buffer.count + 8
        for (track, place) in zip(tracks, offsetPlaces) {
            buffer.replace32(at: place, with: UInt32(offset))
            offset += track.pendingByteCount
        }
        buffer.put32(UInt32(8 + tracks.reduce(0) { $0 + $1.pendingByteCount }))
        buffer.put(code: "mdat")
        return buffer.bytes
    }

    /// Writes the `traf` box of one track.
    ///
    /// - Returns: Position of the data offset field, relative to the start of the `moof` box. The caller must
    ///   fill in this field.
    private func write(_ track: RecordedTrack, into buffer: inout BoxBuffer) -> Int {
        var offsetPlace = 0
        buffer.box("traf") { traf in
            traf.fullBox("tfhd", flags: Flags.offsetsCountFromFragment) { $0.put32(track.number) }
            let start = (track.pending.first?.decode ?? 0) + track.fragmentShift
            traf.fullBox("tfdt", version: 1) { $0.put64(UInt64(max(0, start))) }
            let isReordered = track.pending.contains { $0.compositionOffset != 0 }
            traf.fullBox("trun", flags: Flags.run | (isReordered ? Flags.runHasCompositionOffsets : 0)) {
                run in
                run.put32(UInt32(track.pending.count))
                offsetPlace = run.count
                run.put32(0)
                for sample in track.pending {
                    run.put32(UInt32(clamping: sample.duration))
                    run.put32(UInt32(sample.bytes.count))
                    run.put32(sample.isKey ? Flags.keySample : Flags.dependentSample)
                    if isReordered { run.put32(sample.compositionOffset) }
                }
            }
        }
        return offsetPlace
    }

    private enum Flags {
        /// Flag `default-base-is-moof` of `tfhd`: data offsets are relative to the start of the fragment.
        static let offsetsCountFromFragment: UInt32 = 0x020000
        /// Flags of a `trun` box that contains a data offset, and the duration, size, and flags of each
        /// sample.
        static let run: UInt32 = 0x000001 | 0x000100 | 0x000200 | 0x000400
        static let runHasCompositionOffsets: UInt32 = 0x000800
        /// Flags of a sample that doesn't depend on other samples.
        static let keySample: UInt32 = 0x0200_0000
        /// Flags of a sample that depends on other samples, so decoding can't start at this sample.
        static let dependentSample: UInt32 = 0x0101_0000
    }
}
