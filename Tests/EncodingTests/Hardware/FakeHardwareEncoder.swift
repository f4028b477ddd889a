import MulticamMedia

@testable import MulticamEncoding

/// Uses x264 as a substitute for hardware. It is opened by name, like any unknown libavcodec encoder.
enum FakeHardwareEncoder {
    static let encoder = HardwareEncoder(
        library: "libx264", node: "/dev/stand-in", device: "x264 standing in", driver: "test")

    /// Possible defects of a device.
    enum Fault: Sendable {
        case none
        case refusesToOpen
        /// Only the rehearsal can be opened, as if the device had no sessions left after that.
        case refusesSecond
        case dropsFrames
        case wrongOrder
        /// The frames of two ticks are swapped, but not their times.
        case exchangedFrames
        case coarse
        case noKeysOnRequest
        case noParameterSets
        /// Parameter sets are in a separate packet, like those of V4L2 encoders.
        case separateParameterSets
        case noColorTags
        case otherSize
        /// The encoder blocks at a frame until the gate opens.
        case hangs(Gate)
        /// The encoder fails at this frame of the stream.
        case fails(atFrame: Int)
    }

    /// Blocks threads until it is opened.
    final class Gate: Sendable {
        private let monitor = ConditionLock(false)
        let frame: Int

        init(atFrame frame: Int) { self.frame = frame }

        func wait() { monitor.wait { $0 ? true : nil } }
        func open() { monitor.broadcast { $0 = true } }
    }

    /// - Returns: A function that opens an encoder with a fault. The first encoder, used for the rehearsal,
    ///   works.
    static func opening(_ fault: Fault) -> HardwareCoderFactory {
        let count = ConditionLock(0)
        return { settings throws(EncodingError) in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if case .refusesToOpen = fault { throw refusal }
            if case .refusesSecond = fault, number.isMultiple(of: 2) { throw refusal }
            return try FaultyCoder(settings, number % 2 == 1 ? fault.always : fault)
        }
    }

    static let refusal = EncodingError(
        subject: encoder.name, operation: "opening", reason: "no more sessions")
}

extension FakeHardwareEncoder.Fault {
    /// The part of the fault that also affects the rehearsal.
    fileprivate var always: Self {
        switch self {
        case .noColorTags, .separateParameterSets, .noParameterSets, .otherSize: self
        default: .none
        }
    }
}

/// The substitute encoder with a fault. Used by only one thread.
final class FaultyCoder: HardwareCoding {
    private let inner: LibraryCoder
    private let fault: FakeHardwareEncoder.Fault
    private var count = 0
    private var delayedFrame: CodedFrame?

    init(_ settings: VideoEncodingSettings, _ fault: FakeHardwareEncoder.Fault) throws(EncodingError) {
        self.fault = fault
        var settings = settings
        switch fault {
        case .coarse: settings.quality = 51
        case .noColorTags: settings.color = nil
        case .otherSize:
            settings.size = FrameSize(width: settings.size.width - 16, height: settings.size.height)
        default: break
        }
        inner = try LibraryCoder(FakeHardwareEncoder.encoder, settings)
    }

    var layout: HardwareFrame.Layout { inner.layout }
    var setup: [UInt8] {
        switch fault {
        case .noParameterSets, .separateParameterSets: []
        default: inner.setup
        }
    }

    func encode(
        _ frame: HardwareFrame?, presentation: Int64, asKey: Bool
    ) throws(EncodingError) -> [CodedFrame] {
        defer { count += 1 }
        let isAskedKey: Bool
        switch fault {
        case .noKeysOnRequest: isAskedKey = false
        case .hangs(let gate) where count == gate.frame:
            gate.wait()
            isAskedKey = asKey
        case .fails(let number) where count == number:
            throw EncodingError(
                subject: FakeHardwareEncoder.encoder.name, operation: "encoding", reason: "device lost")
        default: isAskedKey = asKey
        }
        let coded = try inner.encode(frame, presentation: presentation, asKey: isAskedKey)
        return spoiled(coded, isLast: frame == nil)
    }

    private func spoiled(_ coded: [CodedFrame], isLast: Bool) -> [CodedFrame] {
        switch fault {
        case .dropsFrames: return coded.filter { $0.presentation % 7 != 6 }
        case .separateParameterSets:
            return coded.flatMap { frame -> [CodedFrame] in
                guard frame.presentation == 0 else { return [frame] }
                return [CodedFrame(bytes: SharedBytes(inner.setup), presentation: .min), frame]
            }
        case .wrongOrder, .exchangedFrames:
            var result: [CodedFrame] = []
            for frame in coded {
                if let first = delayedFrame {
                    result += exchanged(first, frame)
                    delayedFrame = nil
                } else if frame.presentation % 10 == 4 {
                    delayedFrame = frame
                } else {
                    result.append(frame)
                }
            }
            if isLast, let delayedFrame { result.append(delayedFrame) }
            return result
        default: return coded
        }
    }

    private func exchanged(_ first: CodedFrame, _ second: CodedFrame) -> [CodedFrame] {
        if case .wrongOrder = fault { return [second, first] }
        return [
            CodedFrame(bytes: second.bytes, presentation: first.presentation),
            CodedFrame(bytes: first.bytes, presentation: second.presentation),
        ]
    }
}
