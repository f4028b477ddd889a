internal import Media

extension CostTable {
    /// Where nothing was measured: what `multicam calibrate --machine` found on a busy server's core of 2.5 GHz, to two digits.
    static let usual = CostTable(
        plain: [
            .decodeJPEG1: entry(0.66, piece: 130000),
            .decodeJPEG2: entry(0.96, piece: 140000),
            .decodeJPEG3: entry(1.2, piece: 140000),
            .decodeJPEG4: entry(0.99, piece: 150000),
            .decodeJPEG8: entry(1.5, piece: 160000),
            .decodeH264: entry(0.57, piece: 56000),
            .unpack: entry(0.19, piece: 0),
            .scale: entry(0.12, piece: 0),
            .turn: entry(0.75, piece: 0),
            .recolor: entry(0.31, piece: 0),
            .encodeUltrafast: entry(3.5, piece: 160000),
            .encodeSuperfast: entry(7.8, piece: 0),
            .encodeVeryfast: entry(8.4, piece: 980000),
            .encodeSound: entry(990.0, piece: 0),
            .resample: entry(6.8, piece: 660),
            .store: entry(0.13, piece: 0),
            .deliver: entry(0.0, piece: 12000),
        ],
        photographic: [
            .decodeJPEG1: entry(1.9, piece: 0),
            .decodeJPEG2: entry(2.3, piece: 21000),
            .decodeJPEG3: entry(2.6, piece: 20000),
            .decodeJPEG4: entry(2.8, piece: 0),
            .decodeJPEG8: entry(3.2, piece: 16000),
            .decodeH264: entry(0.8, piece: 290000),
            .encodeUltrafast: entry(6.1, piece: 0),
            .encodeSuperfast: entry(11.0, piece: 320000),
            .encodeVeryfast: entry(21.0, piece: 42000),
        ])

    private static func entry(_ unit: Double, piece: Double) -> Entry {
        Entry(nanosecondsPerPiece: piece, nanosecondsPerUnit: unit)
    }
}
