import Media

/// Reads what a decoder must know (`stsd`) as `SampleDescription` writes it.
struct SampleEntryReader {
    private let type: String
    private var size: FrameSize?
    private var color: ColorDescription?
    private var audio: AudioFormat?
    private var setup: [UInt8] = []
    private var objectType: UInt8?
    private var timecode: (rate: FrameRate, isDropFrame: Bool)?
    private(set) var configuration = DecoderConfiguration(setup: [])

    init?(_ box: BoxReader?) {
        guard var list = box, list.readVersion() != nil, list.read32() == 1, let entry = list.readBox() else {
            return nil
        }
        type = entry.type
        var content = entry.content
        guard content.skip(8) != nil else { return nil }
        switch type {
        case "jpeg", "avc1": guard readFrames(content) else { return nil }
        case "mp4v": guard readFrames(content), objectType == 0x6C else { return nil }
        case "mp4a": guard readAudio(content), objectType == 0x40 else { return nil }
        case "tmcd": guard readTimecode(content) else { return nil }
        default: return nil
        }
    }

    /// The track as the file describes it; `nil` where the parts do not fit together.
    func track(
        handler: String, name: String, timeScale: Int64, rotation: Rotation, firstFrame: () -> UInt32?
    ) -> MovieTrack? {
        switch (type, handler) {
        case ("jpeg", "vide"), ("mp4v", "vide"), ("avc1", "vide"):
            let parameters = StreamParameters(
                codec: type == "avc1" ? .h264 : .mjpeg, timeScale: timeScale, setup: setup, size: size,
                color: color)
            return .video(parameters, rotation: rotation, name: name)
        case ("mp4a", "soun"):
            let parameters = StreamParameters(codec: .aac, timeScale: timeScale, setup: setup, audio: audio)
            return .audio(parameters, name: name)
        case ("tmcd", "tmcd"):
            guard let timecode, timecode.rate.frames == timeScale, let first = firstFrame() else {
                return nil
            }
            return .timecode(
                Timecode(rate: timecode.rate, firstFrame: first, isDropFrame: timecode.isDropFrame),
                name: name)
        default: return nil
        }
    }

    // MARK: Kinds

    private mutating func readFrames(_ entry: BoxReader) -> Bool {
        var reader = entry
        guard reader.skip(16) != nil, let width = reader.read16(), let height = reader.read16(),
            reader.skip(50) != nil
        else { return false }
        size = FrameSize(width: Int(width), height: Int(height))
        for box in reader.boxes() {
            switch box.type {
            case "avcC":
                setup = box.content.restBytes
                configuration = DecoderConfiguration(setup: setup)
            case "esds": readStreamDescriptor(box.content)
            case "colr": color = Self.color(box.content)
            default: break
            }
        }
        return type != "avc1" || configuration.isComplete
    }

    private static func color(_ box: BoxReader) -> ColorDescription? {
        var reader = box
        guard let kind = reader.readCode(), kind == "nclx" || kind == "nclc", reader.skip(4) != nil,
            let matrix = reader.read16()
        else { return nil }
        let isFull = kind == "nclx" && (reader.read8() ?? 0) & 0x80 != 0
        return ColorDescription(matrix: matrix == 1 ? .bt709 : .bt601, range: isFull ? .full : .limited)
    }

    private mutating func readAudio(_ entry: BoxReader) -> Bool {
        var reader = entry
        guard let version = reader.read16(), version <= 1, reader.skip(6) != nil,
            let channels = reader.read16(),
            reader.skip(6) != nil, let rate = reader.read32(), reader.skip(version == 1 ? 16 : 0) != nil,
            channels > 0
        else { return false }
        audio = AudioFormat(rate: Int(rate >> 16), channels: Int(channels))
        for box in version == 1 ? reader.content("wave")?.boxes() ?? [] : reader.boxes()
        where box.type == "esds" {
            readStreamDescriptor(box.content)
        }
        return true
    }

    private mutating func readTimecode(_ entry: BoxReader) -> Bool {
        var reader = entry
        guard reader.skip(4) != nil, let flags = reader.read32(), let frames = reader.read32(),
            let seconds = reader.read32(), frames > 0, seconds > 0, frames < 1 << 20, seconds < 1 << 20
        else { return false }
        timecode = (FrameRate(Int64(frames), per: Int64(seconds)), flags & 1 != 0)
        return true
    }

    /// Reads an `esds` box: the object type and the decoder's setup.
    private mutating func readStreamDescriptor(_ box: BoxReader) {
        var reader = box
        guard reader.readVersion() != nil, Self.descriptor(3, &reader) != nil, reader.skip(3) != nil,
            Self.descriptor(4, &reader) != nil, let object = reader.read8(), reader.skip(12) != nil
        else { return }
        objectType = object
        if let count = Self.descriptor(5, &reader), let bytes = reader.read(count) { setup = bytes }
    }

    /// Reads the size of the next descriptor if it has this tag (ISO/IEC 14496-1, 8.3.3); `nil` otherwise.
    private static func descriptor(_ tag: UInt8, _ reader: inout BoxReader) -> Int? {
        guard reader.read8() == tag else { return nil }
        var size = 0
        for _ in 0..<4 {
            guard let byte = reader.read8() else { return nil }
            size = size << 7 | Int(byte & 0x7F)
            if byte & 0x80 == 0 { return size }
        }
        return nil
    }
}
