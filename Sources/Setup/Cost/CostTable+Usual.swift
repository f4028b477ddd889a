package import Media

extension CostTable {
    /// The costs assumed when this computer was not measured: `multicam calibrate --machine` on a busy server's 2.5 GHz core, to
    /// two digits.
    package static let usual = CostTable(
        plain: [
            .decodeJPEG1: entry(0.69, piece: 140000),
            .decodeJPEG2: entry(1.7, piece: 0),
            .decodeJPEG3: entry(0.91, piece: 450000),
            .decodeJPEG4: entry(1.0, piece: 150000),
            .decodeJPEG8: entry(2.8, piece: 0),
            .decodeH264: entry(1.0, piece: 0),
            .unpack: entry(0.24, piece: 0),
            .scale: entry(0.2, piece: 0),
            .turn: entry(0.9, piece: 0),
            .recolor: entry(0.35, piece: 0),
            .encodeUltrafast: entry(5.0, piece: 280000),
            .encodeBalanced: entry(7.1, piece: 580000),
            .encodeSuperfast: entry(8.9, piece: 580000),
            .encodeVeryfast: entry(11.0, piece: 420000),
            .encodeAudio: entry(570.0, piece: 0),
            .resample: entry(16.0, piece: 2200),
            .store: entry(0.28, piece: 0),
            .deliver: entry(0.0, piece: 50000),
        ],
        photographic: [
            .decodeJPEG1: entry(2.8, piece: 0),
            .decodeJPEG2: entry(2.8, piece: 200000),
            .decodeJPEG3: entry(3.4, piece: 39000),
            .decodeJPEG4: entry(3.5, piece: 0),
            .decodeJPEG8: entry(4.3, piece: 47000),
            .decodeH264: entry(1.7, piece: 69000),
            .encodeUltrafast: entry(8.4, piece: 0),
            .encodeBalanced: entry(15.4, piece: 0),
            .encodeSuperfast: entry(20.0, piece: 0),
            .encodeVeryfast: entry(27.0, piece: 1000000),
            .encodeAudio: entry(910.0, piece: 0),
        ])

    private static func entry(_ unit: Double, piece: Double) -> Entry {
        Entry(nanosecondsPerPiece: piece, nanosecondsPerUnit: unit)
    }
}
