package import Media

extension CameraRole {
    /// What is used of its frame, as far as cropping makes it.
    ///
    /// - Parameter zoom: What the camera does not do itself.
    /// - Returns: A rectangle as it was asked for, which may lie outside of a frame.
    package func framing(zoom: Zoom) -> Framing {
        switch crop {
        case nil: Framing(zoom: zoom)
        case .rectangle(let area): Framing(area: area, zoom: zoom)
        case .shape(let shape): Framing(shape: shape, zoom: zoom)
        }
    }

    /// Whether an output can be made of what is used of a frame without enlarging it. Of a zoom it is not known yet who does it,
    /// so it does not count.
    package func covers(_ output: FrameSize, from size: FrameSize, rotation: Rotation) -> Bool {
        let part = framing(zoom: .none).part(of: size, rotation: rotation)?.size ?? size
        let upright = rotation.swapsSides ? part.turned : part
        return upright.width >= output.width && upright.height >= output.height
    }
}
