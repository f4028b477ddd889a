extension CapturedPicture {
    /// The same picture in memory of its own. Compressed pictures own theirs already and are returned as they are.
    public func ownedCopy() -> CapturedPicture {
        guard !planes.isEmpty, !isOwned else { return self }
        return CapturedPicture(
            pixel: pixel, size: size, color: color, capturedAt: capturedAt, sequence: sequence, isKey: isKey,
            memory: SharedBytes(copying: memory.bytes), planes: planes, isOwned: true,
            headerClock: headerClock)
    }

    /// The same picture with another time of capture.
    public func captured(at time: ClockTime) -> CapturedPicture {
        CapturedPicture(
            pixel: pixel, size: size, color: color, capturedAt: time, sequence: sequence, isKey: isKey,
            memory: memory, planes: planes, isOwned: isOwned, headerClock: headerClock,
            sharedDecoding: sharedDecoding)
    }

    /// The same picture, to be decoded once for all outputs. Only JPEGs are: raw pictures need none, and H.264 is decoded as a
    /// stream.
    public func sharingDecoding() -> CapturedPicture {
        guard pixel == .mjpeg else { return self }
        return CapturedPicture(
            pixel: pixel, size: size, color: color, capturedAt: capturedAt, sequence: sequence, isKey: isKey,
            memory: memory, planes: planes, isOwned: isOwned, headerClock: headerClock,
            sharedDecoding: SharedDecoding())
    }
}
