import Foundation

/// A WAV file of 32-bit floats with arbitrary values, in a temporary folder.
final class FloatAudio {
    let path: String
    private let folder: URL

    /// Creates the file from interleaved samples at 48 kHz.
    init(_ samples: [Float], channels: Int = 1) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "multicam-float-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path + "/sound.wav"
        var bytes = Data()
        func put(_ text: String) { bytes.append(Data(text.utf8)) }
        func put32(_ value: Int) {
            withUnsafeBytes(of: UInt32(value).littleEndian) { bytes.append(contentsOf: $0) }
        }
        func put16(_ value: Int) {
            withUnsafeBytes(of: UInt16(value).littleEndian) { bytes.append(contentsOf: $0) }
        }
        put("RIFF")
        put32(36 + samples.count * 4)
        put("WAVEfmt ")
        put32(16)
        put16(3)
        put16(channels)
        put32(48_000)
        put32(48_000 * channels * 4)
        put16(channels * 4)
        put16(32)
        put("data")
        put32(samples.count * 4)
        samples.withUnsafeBytes { bytes.append(contentsOf: $0) }
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            print("left behind: \(folder.path): \(error)")
        }
    }
}
