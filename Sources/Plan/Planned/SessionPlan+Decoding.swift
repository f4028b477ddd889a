internal import Media
internal import Profiles

extension SessionPlan {
    /// Whether some output needs the pixels of a camera, or may: a scene, or another layout, which shows the cameras that the program names.
    package func decodes(_ role: String) -> Bool {
        (program.map { ([$0.arrangement.main] + $0.arrangement.insets).contains(role) } ?? false)
            || (program?.scenes.contains { $0.shown.contains(role) } ?? false)
            || cameraTracks.contains { $0.role == role && $0.mode == .encode }
            || publications.contains { $0.source == role }
    }

    /// Whether several outputs need all pixels of a camera's JPEGs, so that these are decoded once for all.
    package func sharesDecoding(_ role: String) -> Bool {
        guard let camera = cameras.first(where: { $0.role == role }), camera.format.pixel == .mjpeg else {
            return false
        }
        let layers =
            (program?.layers ?? []) + cameraTracks.filter { $0.mode == .encode }.map(\.layer)
        return layers.count { $0.role == role && $0.decodingScale(of: camera) == .whole } > 1
    }
}

extension PlannedCameraTrack {
    /// The layer that paints the camera's frame over the whole frame of an encoded track.
    package var layer: PlannedLayer {
        let size = settings.size
        return PlannedLayer(
            role: role, rectangle: PixelRectangle(x: 0, y: 0, width: size.width, height: size.height),
            filling: crop == nil ? .fit : .fill, crop: crop)
    }
}

extension PlannedLayer {
    /// The scale at which a camera's JPEG is decoded for it, as `FramePainter` chooses it; `nil` where nothing is shown.
    func decodingScale(of camera: PlannedCamera) -> JPEGScale? {
        guard
            let place = Placement(
                of: camera.format.size, crop: crop, rotation: rotation, filling: filling, into: rectangle)
        else { return nil }
        let shown = rotation.swapsSides ? place.target.size.turned : place.target.size
        return JPEGScale.smallest(for: place.source.size, wanted: isCoarse ? shown.halved : shown)
    }
}
