extension CapturedFrame {
    /// The same frame in memory of its own. Compressed frames own theirs already and are returned as they are.
    public func ownedCopy() -> CapturedFrame {
        guard !planes.isEmpty, !isOwned else { return self }
        return CapturedFrame(
            pixel: pixel, size: size, color: color, capturedAt: capturedAt, sequence: sequence, isKey: isKey,
            memory: SharedBytes(copying: memory.bytes), planes: planes, isOwned: true,
            headerClock: headerClock)
    }

    /// The same frame with another time of capture.
    public func captured(at time: ClockTime) -> CapturedFrame {
        CapturedFrame(
            pixel: pixel, size: size, color: color, capturedAt: time, sequence: sequence, isKey: isKey,
            memory: memory, planes: planes, isOwned: isOwned, headerClock: headerClock,
            sharedDecoding: sharedDecoding)
    }

    /// The same frame, to be decoded once for all outputs. Only JPEGs are: raw frames need none, and H.264 is decoded as a
    /// stream.
    public func sharingDecoding() -> CapturedFrame {
        guard pixel == .mjpeg else { return self }
        return CapturedFrame(
            pixel: pixel, size: size, color: color, capturedAt: capturedAt, sequence: sequence, isKey: isKey,
            memory: memory, planes: planes, isOwned: isOwned, headerClock: headerClock,
            sharedDecoding: SharedDecoding())
    }
}
