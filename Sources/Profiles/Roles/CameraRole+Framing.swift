package import Media

extension CameraRole {
    /// The part of the camera's frame that is used, with a zoom by cropping.
    ///
    /// - Parameter zoom: The part of the zoom that the camera does not do itself.
    /// - Returns: A framing whose rectangle is as it was asked for, and may lie outside of a frame.
    package func framing(zoom: Zoom) -> Framing {
        switch crop {
        case nil: Framing(zoom: zoom)
        case .rectangle(let area): Framing(area: area, zoom: zoom)
        case .shape(let shape): Framing(shape: shape, zoom: zoom)
        }
    }

    /// Whether an output can be made from the used part of a frame without enlarging it. A zoom does not count, as it is not
    /// known yet whether the camera does it.
    package func covers(_ output: FrameSize, from size: FrameSize, rotation: Rotation) -> Bool {
        let part = framing(zoom: .none).part(of: size, rotation: rotation)?.size ?? size
        let upright = rotation.swapsSides ? part.turned : part
        return upright.width >= output.width && upright.height >= output.height
    }
}
