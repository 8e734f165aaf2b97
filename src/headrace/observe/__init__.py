"""What an application tells about itself."""
