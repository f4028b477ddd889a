import Media

/// A copy of a rectangle of a 4:2:0 frame, to put it back later. Its memory is reused.
struct PixelsAside {
    private var memory = ScratchPlanes()
    private var planes: Planes?

    /// Copies the pixels of `source`.
    mutating func keep(_ source: Planes) {
        let planes = memory.planes(source.size, source.horizontalShift, source.verticalShift)
        source.scale(into: planes)
        self.planes = planes
    }

    /// Puts the copied pixels back into `target`, which has the size of the copy.
    func copy(to target: Planes) {
        planes?.scale(into: target)
    }
}
