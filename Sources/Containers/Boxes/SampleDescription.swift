import MulticamMedia

/// Writes the sample description of a track, which contains the decoder configuration (`stsd`, ISO/IEC
/// 14496-12, 8.5.2).
struct SampleDescription {
    let kind: MovieKind
    let track: MovieTrack
    /// H.264 parameter sets.
    let configuration: DecoderConfiguration
    /// Average bit rate in bits per second; 0 if unknown.
    let bitrate: UInt32

    func write(into buffer: inout BoxBuffer) {
        buffer.fullBox("stsd") { box in
            box.put32(1)
            switch track {
            case .video(let parameters, _, _): writeVideo(parameters, into: &box)
            case .audio(let parameters, _): writeAudio(parameters, into: &box)
            case .timecode(let timecode, _): writeTimecode(timecode, into: &box)
            }
        }
    }

    // MARK: Frames

    private func writeVideo(_ parameters: StreamParameters, into buffer: inout BoxBuffer) {
        let type =
            switch (parameters.codec, kind) {
            case (.mjpeg, .mov): "jpeg"
            case (.mjpeg, .mp4): "mp4v"  // MP4 supports JPEG only as an MPEG-4 object type.
            default: "avc1"
            }
        let size = parameters.size ?? FrameSize(width: 0, height: 0)
        buffer.box(type) { entry in
            writeEntryStart(into: &entry)
            entry.put32(0)  // version and revision
            entry.put32(0)  // vendor
            entry.put32(0)  // temporal quality
            entry.put32(kind == .mov ? 0x200 : 0)  // spatial quality: normal
            entry.put16(UInt16(size.width))
            entry.put16(UInt16(size.height))
            entry.putFixed(72)  // resolution in dots per inch
            entry.putFixed(72)
            entry.put32(0)
            entry.put16(1)  // frames per sample
            entry.putZeros(32)  // name of the compressor: none
            entry.put16(24)  // color depth in bits
            entry.put16(0xFFFF)  // no color table
            if type == "avc1" { configuration.write(into: &entry) }
            if type == "mp4v" {
                writeStreamDescriptor(objectType: 0x6C, streamType: 4, setup: [], into: &entry)
            }
            if let color = parameters.color { writeColor(color, into: &entry) }
            if kind == .mov {
                entry.box("fiel") { $0.put16(0x0100) }  // progressive frames
            }
            entry.box("pasp") { box in
                let pixel = parameters.pixelAspect ?? .square
                box.put32(UInt32(pixel.width))
                box.put32(UInt32(pixel.height))
            }
        }
    }

    /// Writes a color description with the code points of ITU-T H.273, which are the same as in H.264.
    private func writeColor(_ color: ColorDescription, into buffer: inout BoxBuffer) {
        let code: UInt16 =
            switch color.matrix {
            case .bt709: 1
            case .bt601: 6
            }
        // The `nclc` type of QuickTime doesn't contain the range and implies limited range. For full range,
        // the `nclx` type of MP4 is used, which QuickTime readers also support.
        let tellsRange = kind == .mp4 || color.range == .full
        buffer.box("colr") { box in
            box.put(code: tellsRange ? "nclx" : "nclc")
            for _ in 0..<3 { box.put16(code) }  // primaries, transfer function, and matrix
            if tellsRange { box.put8(color.range == .full ? 0x80 : 0) }
        }
    }

    // MARK: Audio

    private func writeAudio(_ parameters: StreamParameters, into buffer: inout BoxBuffer) {
        let channels = UInt16(parameters.audio?.channels ?? 1)
        let rate = parameters.audio?.rate ?? AudioFormat.sessionRate
        buffer.box("mp4a") { entry in
            writeEntryStart(into: &entry)
            entry.put16(kind == .mov ? 1 : 0)  // version
            entry.put16(0)  // revision
            entry.put32(0)  // vendor
            entry.put16(channels)
            entry.put16(16)  // bits per sample, by convention
            // The compression ID −2 declares packets of variable size, which require a version 1 sample entry
            // (QuickTime File Format).
            entry.put16(kind == .mov ? 0xFFFE : 0)
            entry.put16(0)
            entry.putFixed(rate < 65536 ? rate : 0)
            if kind == .mov {
                entry.put32(1024)  // samples per packet
                entry.put32(0)  // bytes per packet: variable
                entry.put32(0)  // bytes per frame: variable
                entry.put32(2)  // bytes per sample
                entry.box("wave") { wave in
                    wave.box("frma") { $0.put(code: "mp4a") }
                    wave.box("mp4a") { $0.put32(0) }
                    writeStreamDescriptor(
                        objectType: 0x40, streamType: 5, setup: parameters.setup, into: &wave)
                    wave.put32(8)  // terminator of the list: a box without a type
                    wave.put32(0)
                }
            } else {
                writeStreamDescriptor(objectType: 0x40, streamType: 5, setup: parameters.setup, into: &entry)
            }
        }
    }

    /// Writes an `esds` box, which contains the MPEG-4 object type and the decoder-specific configuration
    /// (ISO/IEC 14496-1, 7.2.6.5).
    private func writeStreamDescriptor(
        objectType: UInt8, streamType: UInt8, setup: [UInt8], into buffer: inout BoxBuffer
    ) {
        let setupSize = setup.isEmpty ? 0 : 5 + setup.count
        buffer.fullBox("esds") { box in
            box.putDescriptor(tag: 3, size: 3 + 5 + 13 + setupSize + 5 + 1)
            box.put16(0)  // stream ID; 0 refers to the track
            box.put8(0)
            box.putDescriptor(tag: 4, size: 13 + setupSize)
            box.put8(objectType)
            box.put8(streamType << 2 | 1)
            box.put24(0)  // decoding buffer size: unspecified
            box.put32(bitrate)
            box.put32(bitrate)
            if !setup.isEmpty {
                box.putDescriptor(tag: 5, size: setup.count)
                box.put(setup)
            }
            box.putDescriptor(tag: 6, size: 1)
            box.put8(2)  // the value that every MP4 file uses
        }
    }

    // MARK: Timecode

    private func writeTimecode(_ timecode: Timecode, into buffer: inout BoxBuffer) {
        buffer.box("tmcd") { entry in
            writeEntryStart(into: &entry)
            entry.put32(0)
            entry.put32(timecode.isDropFrame ? 1 : 0)
            entry.put32(UInt32(clamping: timecode.rate.frames))
            entry.put32(UInt32(clamping: timecode.rate.seconds))
            entry.put8(UInt8(clamping: timecode.labelsPerSecond))
            entry.put8(0)
        }
    }

    private func writeEntryStart(into buffer: inout BoxBuffer) {
        buffer.putZeros(6)
        buffer.put16(1)  // the data is in this file
    }
}

extension BoxBuffer {
    /// Writes the tag and size of a descriptor. The size is stored in four bytes of seven bits each (ISO/IEC
    /// 14496-1, 8.3.3).
    fileprivate mutating func putDescriptor(tag: UInt8, size: Int) {
        put8(tag)
        for shift in [21, 14, 7] { put8(UInt8(size >> shift & 0x7F) | 0x80) }
        put8(UInt8(size & 0x7F))
    }
}
