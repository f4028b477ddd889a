import Media

extension CapturedFrame {
    /// Whether the planes of a raw frame lie inside its memory. Devices may report wrong layouts, so this is checked.
    var hasItsPlanes: Bool {
        guard size.isPlausible else { return false }
        let packed = FramePlane.packed(pixel, size)
        guard !packed.planes.isEmpty, planes.count == packed.planes.count else { return false }
        return planes.indices.allSatisfy { index in
            let rowBytes = packed.planes[index].stride
            let end = index + 1 < packed.planes.count ? packed.planes[index + 1].offset : packed.byteCount
            let rows = (end - packed.planes[index].offset) / rowBytes
            let plane = planes[index]
            return (0...memory.count).contains(plane.offset) && plane.stride >= rowBytes
                && plane.stride <= memory.count
                && plane.offset + plane.stride * (rows - 1) + rowBytes <= memory.count
        }
    }

    /// A view of a raw frame with three planes; `nil` for other formats and when the planes do not lie in the memory.
    var planarView: Planes? {
        guard pixel == .i420 || pixel == .converted || pixel == .i422, hasItsPlanes else { return nil }
        let start = memory.start.assumingMemoryBound(to: UInt8.self)
        return Planes(
            y: start + planes[0].offset, u: start + planes[1].offset, v: start + planes[2].offset,
            yStride: planes[0].stride, uStride: planes[1].stride, vStride: planes[2].stride, size: size,
            horizontalShift: 1, verticalShift: pixel == .i422 ? 0 : 1)
    }

    /// A view of a `grey` frame, whose colour planes must not be read; `nil` for other formats and when the plane does
    /// not lie in the memory.
    var greyView: Planes? {
        guard pixel == .grey, hasItsPlanes else { return nil }
        let start = memory.start.assumingMemoryBound(to: UInt8.self) + planes[0].offset
        return Planes(
            y: start, u: start, v: start, yStride: planes[0].stride, uStride: 0, vStride: 0, size: size,
            horizontalShift: 1, verticalShift: 1)
    }
}
