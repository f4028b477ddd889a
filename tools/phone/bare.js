// A browser without encoder, track processor and frame objects, like some phones: uses JPEG, and reads frames from an element.

delete window.VideoEncoder;
delete window.MediaStreamTrackProcessor;
delete window.VideoFrame;
delete window.OffscreenCanvas;
