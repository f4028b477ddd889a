extension CapturedFrame {
    /// The frame in memory of its own, to be kept for long. Compressed frames own their memory already and are returned as
    /// they are.
    public func ownedCopy() -> CapturedFrame {
        guard !planes.isEmpty, !isOwned else { return self }
        return CapturedFrame(
            pixel: pixel, size: size, color: color, capturedAt: capturedAt, sequence: sequence, isKey: isKey,
            memory: SharedBytes(copying: memory.bytes), planes: planes, isOwned: true,
            headerClock: headerClock)
    }

    /// The frame with another capture time, in the same memory.
    public func captured(at time: ClockTime) -> CapturedFrame {
        CapturedFrame(
            pixel: pixel, size: size, color: color, capturedAt: time, sequence: sequence, isKey: isKey,
            memory: memory, planes: planes, isOwned: isOwned, headerClock: headerClock,
            sharedDecoding: sharedDecoding)
    }

    /// The frame, marked to be decoded once for all outputs. Only JPEGs are marked: raw frames need no decoding, and H.264
    /// is decoded as a stream.
    public func sharingDecoding() -> CapturedFrame {
        guard pixel == .mjpeg else { return self }
        return CapturedFrame(
            pixel: pixel, size: size, color: color, capturedAt: capturedAt, sequence: sequence, isKey: isKey,
            memory: memory, planes: planes, isOwned: isOwned, headerClock: headerClock,
            sharedDecoding: SharedDecoding())
    }
}
