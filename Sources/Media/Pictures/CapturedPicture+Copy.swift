extension CapturedPicture {
    /// The same picture in memory of its own. Compressed pictures own theirs already and are returned as they are.
    public func ownedCopy() -> CapturedPicture {
        guard !planes.isEmpty, !isOwned else { return self }
        return CapturedPicture(
            pixel: pixel, size: size, color: color, capturedAt: capturedAt, sequence: sequence, isKey: isKey,
            memory: SharedBytes(copying: memory.bytes), planes: planes, isOwned: true,
            headerClock: headerClock)
    }
}
