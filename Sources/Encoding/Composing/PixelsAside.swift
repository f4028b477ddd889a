import Media

/// A copy of a rectangle of a 4:2:0 frame, to put it back. Its memory is kept from one to the next.
struct PixelsAside {
    private var memory = ScratchPlanes()
    private var planes: Planes?

    mutating func keep(_ source: Planes) {
        let planes = memory.planes(source.size, source.horizontalShift, source.verticalShift)
        source.scale(into: planes)
        self.planes = planes
    }

    /// - Parameter target: Of the size of what was kept.
    func copy(to target: Planes) {
        planes?.scale(into: target)
    }
}
