package import MulticamMedia
internal import MulticamProfiles

/// The view of a camera within which automatic framing moves the visible part: its limits in the upright frame.
package struct FramedView: Sendable, Equatable {
    /// Width of the visible part divided by its height, in pixels of the upright frame.
    package let ratio: Double
    /// The part of the upright frame that may be shown.
    package let bounds: FramePart
    /// Smallest height of the visible part as a fraction of the upright frame's height, so that the program doesn't
    /// enlarge the camera's pixels beyond the limit.
    package let minHeight: Double
    /// Width of the upright frame divided by its height, in pixels.
    package let frameRatio: Double

    /// Creates a view from its limits. Each parameter sets the property of the same name.
    package init(ratio: Double, bounds: FramePart, minHeight: Double, frameRatio: Double) {
        (self.ratio, self.bounds, self.minHeight, self.frameRatio) = (ratio, bounds, minHeight, frameRatio)
    }

    /// Creates the view of a camera in a layer of the program.
    ///
    /// - Parameters:
    ///   - camera: The camera.
    ///   - rotation: The camera's rotation in the program.
    ///   - layer: The camera's layer.
    package init(of camera: PlannedCamera, rotation: Rotation, _ layer: PlannedLayer) {
        let stored = camera.format.size
        let upright = rotation.swapsSides ? stored.transposed : stored
        var framing = camera.framing
        framing.zoom = .none
        let outer =
            framing.part(of: stored, rotation: rotation)?.upright(in: stored, rotation: rotation)
            ?? PixelRectangle(x: 0, y: 0, width: upright.width, height: upright.height)
        var shape = layer.shape
        (shape.rotation, shape.pixelAspect) = (rotation, camera.pixelAspect)
        self.init(
            of: shape, upright: upright, within: outer,
            maxEnlargement: camera.automaticFraming.maxEnlargement)
    }

    /// Creates the view of a camera in a layer.
    ///
    /// - Parameters:
    ///   - shape: The layer, whose rotation and pixel aspect ratio are those of the camera.
    ///   - upright: Size of the camera's upright frames in pixels.
    ///   - outer: The part of the upright frame that may be shown, in its pixels.
    ///   - maxEnlargement: Largest enlargement of the camera's pixels.
    package init(
        of shape: LayerShape, upright: FrameSize, within outer: PixelRectangle, maxEnlargement: Double
    ) {
        // The shape of a pixel of the upright frame: its width divided by its height.
        let pixel = shape.pixelAspect.map { Double($0.width) / Double($0.height) } ?? 1
        let square = shape.rotation.swapsSides ? 1 / pixel : pixel
        let place = shape.rectangle
        ratio =
            shape.fit == .cover
            ? Double(place.width) / Double(max(place.height, 1)) / square
            : Double(outer.width) / Double(max(outer.height, 1))
        bounds = FramePart(outer, of: upright)
        let widest = min(Double(outer.height), Double(outer.width) / ratio)
        let least = Double(place.height) / maxEnlargement
        minHeight = min(least, widest) / Double(max(upright.height, 1))
        frameRatio = Double(upright.width) / Double(max(upright.height, 1))
    }
}
